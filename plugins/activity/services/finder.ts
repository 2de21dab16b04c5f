import type { QueryBuilder } from 'objection';
import type { Actor, BaseModel, Database, QueryCache, MemoryCache, PointReader } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { Repositories, RepositoryAccess, RepositoryContext, RepositoryRelation } from '@mortise/repositories/api';
import type { AccountActivityAccess, Activity, ActivitySearch } from '../contract/activity.js';
import { ActivityRow, toActivity } from '../models/activity.js';
import { ReceiverRow } from '../models/receiver.js';
import { RepositoryIdRow } from '../models/repository-id.js';
import { UserRow } from '../models/user.js';
import { holdsUnit, kindsOf, neededUnits } from './needed-unit.js';

interface Deps {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly access: RepositoryAccess;
  readonly relations: PointReader<RepositoryRelation>;
  readonly accountAccess: PointReader<AccountActivityAccess>;
  readonly fresh: QueryCache<unknown>;
  /** Kept for seconds. */
  readonly large: MemoryCache<unknown>;
}

/** From here on, counts may lag by some seconds: counting goes through all that is counted. */
const largeCount = 1000;

/** Of either table: both have what feeds are filtered and ordered by. */
type Rows = QueryBuilder<BaseModel>;
type Heatmap = readonly { readonly timestamp: number; readonly contributions: number }[];
/** What an actor may not read of what is in a feed. */
interface HiddenActivities {
  /** Whole repositories. */
  readonly repositoryIds: readonly number[];
  /** Repositories of which it may read other units than these. */
  readonly byUnits: readonly { readonly units: readonly string[]; readonly ids: readonly number[] }[];
  /** Accounts of which it may not read what belongs to no repository. */
  readonly ownerIds: readonly number[];
}

function closedUnits(context: RepositoryContext, actor: Actor): string[] {
  const { isPrivate, ownerVisibility } = context.repository;
  const isOpenToAll = !isPrivate && ownerVisibility === 'public';
  return neededUnits.filter((unit) => !context.may('read', unit) || !(isOpenToAll || holdsUnit(actor, unit)));
}

const dayMs = 86_400_000;
const quarterMs = 900_000;

/** All about an actor on which it depends what it may read. */
const viewer = (actor: Actor) => {
  const { kind, id, credentialId = 0, isAdmin, isRestricted, publicOnly } = actor;
  const units = neededUnits.filter((unit) => holdsUnit(actor, unit));
  return `${kind}:${id}:${credentialId}:${isAdmin}:${isRestricted}:${publicOnly}:${units}`;
};

function totalKey({ limit: _limit, offset: _offset, ...what }: ActivitySearch, actor: Actor): string {
  return JSON.stringify(['total', what, viewer(actor)]);
}

/** Reads feeds and heatmaps; what an actor may not see is left out in SQL (FED-02, TOK-22). */
export class ActivityFinder {
  constructor(private readonly deps: Deps) {}

  search(search: ActivitySearch, actor: Actor): Promise<{ items: Activity[]; total: number }> {
    return this.deps.database.readOnReplica(() => this.#search(search, actor));
  }

  async #search(search: ActivitySearch, actor: Actor): Promise<{ items: Activity[]; total: number }> {
    const found =
      search.repositoryId === undefined ? await this.#ofUser(search, actor) : await this.#ofRepository(search, actor);
    if (!found || (await this.deps.access.unmetRequirement(actor)) !== undefined) return { items: [], total: 0 };
    const { query, receiverId, id } = found;
    this.#onDay(query, search.date);
    if (search.withoutParts) void query.where('is_part', false);
    this.#withoutHidden(query, id === 'id' ? ActivityRow.tableName : ReceiverRow.tableName, actor);
    const key = totalKey(search, actor);
    const known = this.deps.large.get(key) as number | undefined;
    if (known !== undefined && known <= search.offset) return { items: [], total: known };
    const page = query
      .clone()
      .select({ found_id: id })
      .orderBy([
        { column: 'created_at', order: 'desc' },
        { column: id, order: 'desc' },
      ])
      .limit(search.limit)
      .offset(search.offset);
    // Counted with the page: both go through the same rows.
    if (known === undefined) void page.select(this.deps.database.knex().raw('count(*) over () as total'));
    const rows = (await this.deps.database
      .query(ActivityRow)
      .join(page.as('page'), 'page.found_id', 'activity.id')
      .select('activity.*', ...(known === undefined ? ['page.total'] : []))
      .orderBy([
        { column: 'activity.created_at', order: 'desc' },
        { column: 'activity.id', order: 'desc' },
      ])) as (ActivityRow & { total?: number })[];
    const total = known ?? rows[0]?.total ?? (search.offset > 0 ? await query.resultSize() : 0);
    if (total >= largeCount) this.deps.large.set(key, total);
    return { items: rows.map((row) => toActivity(row, receiverId)), total };
  }

  async #ofRepository({ repositoryId, onlyPerformedBy, userId }: ActivitySearch, actor: Actor) {
    const { access, database, repositories } = this.deps;
    const repository = await repositories.byId(repositoryId!);
    if (!repository) return undefined;
    const query = database.query(ActivityRow).where('repository_id', repositoryId!);
    if (onlyPerformedBy && userId !== undefined) void query.where('actor_id', userId);
    const closed = closedUnits(await access.context(actor, repository), actor);
    if (closed.length) void query.whereNotIn('kind', kindsOf(closed));
    return { query: query as unknown as Rows, receiverId: 0, id: 'id' };
  }

  async #ofUser({ userId, related, onlyPerformedBy }: ActivitySearch, actor: Actor) {
    const account = await this.deps.accounts.byId(userId ?? 0);
    if (!account) return undefined;
    const query = this.deps.database.query(ReceiverRow).where('user_id', account.id) as unknown as Rows;
    if (onlyPerformedBy) void query.where('actor_id', account.id);
    if (related) {
      const relation = this.deps.relations.get(related.relation);
      if (!relation) return undefined;
      void query.whereIn('repository_id', relation.repositories(related.id));
    }
    this.#withoutPrivate(query, account, actor);
    await this.#withoutUnreadable(query, account, actor);
    return { query, receiverId: account.id, id: 'activity_id' };
  }

  /** Private entries are for the account itself, members of an organization, and administrators. */
  #withoutPrivate(query: Rows, account: Account, actor: Actor): void {
    if (actor.isAdmin && !actor.publicOnly) return;
    const own = actor.kind === 'user' && !actor.publicOnly;
    if (!own || (actor.id !== account.id && account.kind !== 'organization')) void query.where('is_private', false);
  }

  /** Entries that tell of what the actor may not read (any more): of whole repositories, and of single units. */
  async #withoutUnreadable(query: Rows, account: Account, actor: Actor): Promise<void> {
    const { repositoryIds, byUnits, ownerIds } = await this.#unreadable(account.id, actor);
    if (ownerIds.length) void query.whereNotIn('owner_id', ownerIds);
    if (repositoryIds.length) void query.whereNotIn('repository_id', repositoryIds);
    for (const { units, ids } of byUnits) {
      const needsThem = ActivityRow.query()
        .whereColumn('activity.id', `${ReceiverRow.tableName}.activity_id`)
        .whereIn('activity.kind', kindsOf(units));
      void query.whereNot((entry) => void entry.whereIn('repository_id', ids).whereExists(needsThem));
    }
  }

  /** Repositories in the feed of which the actor may not read all that entries can tell of. */
  #unreadable(userId: number, actor: Actor): Promise<HiddenActivities> {
    const load = async (): Promise<HiddenActivities> => {
      const { database, access } = this.deps;
      // a credential without the scope for a unit reads what is open to all
      const readerOf = (unit: string | undefined) =>
        unit === undefined || holdsUnit(actor, unit) ? actor : { ...actor, publicOnly: true };
      const without = (unit: string | undefined) =>
        database
          .query(RepositoryIdRow)
          .select('repository.id', database.knex().raw('? as unit', [unit ?? '']))
          .whereIn('repository.id', database.query(ReceiverRow).distinct('repository_id').where('user_id', userId))
          .whereNot(access.visibleTo(readerOf(unit), unit === undefined ? undefined : [unit]));
      const rows = (await without(undefined).unionAll(neededUnits.map(without))) as unknown as {
        readonly id: number;
        readonly unit: string;
      }[];
      const closed = new Set(rows.flatMap(({ id, unit }) => (unit === '' ? [id] : [])));
      const idsWithout = (unit: string) =>
        rows.flatMap((row) => (row.unit === unit && !closed.has(row.id) ? [row.id] : []));
      const partly = neededUnits.map((unit) => ({ units: [unit], ids: idsWithout(unit) }));
      return {
        repositoryIds: [...closed],
        byUnits: partly.filter(({ ids }) => ids.length > 0),
        ownerIds: await this.#unreadableOwners(userId, actor),
      };
    };
    return this.deps.fresh.load(`closed ${userId} ${viewer(actor)}`, load) as Promise<HiddenActivities>;
  }

  async #unreadableOwners(userId: number, actor: Actor): Promise<number[]> {
    const rows = await this.deps.database
      .query(ReceiverRow)
      .distinct('owner_id')
      .where('user_id', userId)
      .where('owner_id', '>', 0);
    const ownerIds = rows.map((row) => row.owner_id);
    const [access] = this.deps.accountAccess.list();
    const readable = (ownerIds.length && (await access?.readable(ownerIds, actor))) || new Set<number>();
    return ownerIds.filter((id) => !readable.has(id));
  }

  #onDay(query: Rows, date: string | undefined): void {
    if (!date) return;
    const start = Date.parse(`${date}T00:00:00Z`);
    void query.where('created_at', '>=', start).where('created_at', '<', start + dayMs);
  }

  /** People who hide their activity do so from all but themselves and administrators. */
  #withoutHidden(query: Rows, table: string, actor: Actor): void {
    if (actor.isAdmin && !actor.publicOnly) return;
    const hidden = UserRow.query().whereColumn('user.id', `${table}.actor_id`).where('user.hide_activity', true);
    void query.whereNotExists(actor.kind === 'user' ? hidden.whereNot('user.id', actor.id) : hidden);
  }

  async heatmap(userId: number, actor: Actor): Promise<Heatmap> {
    const account = await this.deps.accounts.byId(userId);
    if (!account) return [];
    const whole = !actor.publicOnly && (actor.isAdmin || (actor.kind === 'user' && actor.id === userId));
    if (account.hideActivity && !whole) return [];
    const key = `heatmap ${userId} ${whole}`;
    const known = this.deps.large.get(key) as Heatmap | undefined;
    if (known) return known;
    const heatmap = (await this.deps.fresh.load(key, () => this.#countQuarters(account, whole))) as Heatmap;
    if (heatmap.length >= largeCount) this.deps.large.set(key, heatmap);
    return heatmap;
  }

  async #countQuarters(account: Account, whole: boolean): Promise<Heatmap> {
    const { database } = this.deps;
    const query = (account.kind === 'organization'
      ? database.query(ReceiverRow).where('user_id', account.id)
      : database.query(ActivityRow).where('actor_id', account.id)) as unknown as Rows;
    if (!whole) void query.where('is_private', false);
    const counted = query
      .where('is_part', false)
      .where('created_at', '>', Date.now() - 366 * dayMs)
      .select(database.knex().raw(`created_at - created_at % ${quarterMs} as quarter`))
      .count('* as number')
      .groupBy('quarter')
      .orderBy('quarter');
    // Without a model for each row: there may be tens of thousands.
    const rows = (await counted.toKnexQuery()) as unknown as { quarter: number; number: number }[];
    return rows.map((row) => ({ timestamp: Number(row.quarter) / 1000, contributions: Number(row.number) }));
  }
}
