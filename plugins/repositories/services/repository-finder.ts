import {
  holdsScope,
  type Actor,
  type Database,
  type QueryCache,
  type MemoryCache,
  type PointReader,
} from '@mortise/plugin-sdk';
import type { Repository, RepositoryBasics, RepositoryRelation } from '../api.js';
import type { RepositorySearch } from '../contract/repositories.js';
import { basicColumns, RepositoryRow, toBasics, toRepository } from '../models/repository.js';
import { openToAll, type Grants } from './grants.js';
import { matching, ownerIn, ownerContains } from './search-text.js';

const sortColumns: Readonly<Record<Exclude<NonNullable<RepositorySearch['sort']>, 'path'>, string>> = {
  alpha: 'repository.lower_name',
  created: 'repository.created_at',
  updated: 'repository.updated_at',
  size: 'repository.size_bytes',
  git_size: 'repository.size_bytes',
  lfs_size: 'repository.size_bytes',
  stars: 'repository.star_count',
  forks: 'repository.fork_count',
  id: 'repository.id',
};

const bothKeys = {
  also: (one: Repository | undefined) =>
    one ? [`#${one.id}`, `${one.ownerName.toLowerCase()}/${one.name.toLowerCase()}`] : [],
};

/** Reads repositories; hot rows are kept while their table stays as it is. */
export class RepositoryFinder {
  constructor(
    private readonly database: Database,
    private readonly rows: QueryCache<Repository | undefined>,
    private readonly basics: QueryCache<RepositoryBasics | undefined>,
    private readonly mainLanguages: MemoryCache<string[]>,
    private readonly relations: PointReader<RepositoryRelation>,
    private readonly grants: Grants,
  ) {}

  /** Main languages of what everybody may see, the most frequent first; some minutes old. */
  languages(): Promise<string[]> {
    return this.mainLanguages.load('', async () => {
      const rows = await this.database
        .query(RepositoryRow)
        .select('repository.language')
        .where(openToAll)
        .whereNot('repository.language', '')
        .groupBy('repository.language')
        .count('* as number')
        .orderBy('number', 'desc')
        .orderBy('repository.language')
        .limit(50);
      return rows.map((row) => row.language);
    });
  }

  async byId(id: number): Promise<Repository | undefined> {
    return this.rows.load(
      `#${id}`,
      async () => {
        const row = await this.database.rows.findOne(RepositoryRow, { id, is_ready: true });
        return row && toRepository(row);
      },
      bothKeys,
    );
  }

  async basicsById(id: number): Promise<RepositoryBasics | undefined> {
    return this.basics.load(String(id), async () => {
      const row = await this.database.rows.findOne(RepositoryRow, { id, is_ready: true }, { columns: basicColumns });
      return row && toBasics(row);
    });
  }

  async byIds(ids: readonly number[]): Promise<Map<number, Repository>> {
    const keys = [...new Set(ids)].map((id) => `#${id}`);
    const loaded = await this.rows.loadMany(
      keys,
      async (missing) => {
        const wanted = missing.map((key) => Number(key.slice(1)));
        const rows = (await this.database.rows.findByIds(RepositoryRow, wanted)).filter((row) => row.is_ready);
        return new Map(rows.map((row) => [`#${row.id}`, toRepository(row)]));
      },
      bothKeys,
    );
    return new Map([...loaded.values()].flatMap((one) => (one ? [[one.id, one] as const] : [])));
  }

  async byPath(owner: string, name: string): Promise<Repository | undefined> {
    const lowerOwner = owner.toLowerCase();
    const lowerName = name.toLowerCase();
    return this.rows.load(
      `${lowerOwner}/${lowerName}`,
      async () => {
        const path = { lower_owner_name: lowerOwner, lower_name: lowerName, is_ready: true };
        const row = await this.database.rows.findOne(RepositoryRow, path);
        return row && toRepository(row);
      },
      bothKeys,
    );
  }

  search(search: RepositorySearch, actor: Actor): Promise<{ items: Repository[]; total: number }> {
    return this.database.readOnReplica(() => this.#search(search, actor));
  }

  async #search(search: RepositorySearch, actor: Actor): Promise<{ items: Repository[]; total: number }> {
    // records of private repositories are for credentials that read repositories; those for issues or packages read these alone
    const reader = holdsScope(actor, 'repository', 'read') ? actor : { ...actor, publicOnly: true };
    const query = this.database.query(RepositoryRow).where(this.grants.visibleTo(reader));
    if (search.text) void query.where(matching(search));
    if (search.openOnly) void query.where(openToAll);
    if (search.ownerId !== undefined) {
      const ownerId = search.ownerId;
      const together = search.mode === 'collaborative';
      void query.where((either) => {
        if (!together) void either.where('repository.owner_id', ownerId);
        if (together || !search.exclusive) void either.orWhere(this.grants.workedOnBy(ownerId));
      });
    }
    if (search.accessibleTo !== undefined) void query.where(this.grants.accessibleTo(search.accessibleTo));
    for (const { relation, id } of search.related ?? []) {
      const related = this.relations.get(relation);
      if (!related) return { items: [], total: 0 };
      void query.whereIn('repository.id', related.repositories(id));
    }
    if (search.ownerIds) void query.whereIn('repository.owner_id', [...search.ownerIds]);
    if (search.forkOf !== undefined) void query.where('repository.fork_of_id', search.forkOf);
    if (search.isPrivate !== undefined) void query.where('repository.is_private', search.isPrivate);
    if (search.isTemplate !== undefined) void query.where('repository.is_template', search.isTemplate);
    if (search.isArchived !== undefined) void query.where('repository.is_archived', search.isArchived);
    if (search.language) void query.where('repository.language', search.language);
    if (search.mode === 'source') void query.where({ 'repository.fork_of_id': 0, 'repository.is_mirror': false });
    if (search.mode === 'fork') void query.whereNot('repository.fork_of_id', 0);
    if (search.mode === 'mirror') void query.where('repository.is_mirror', true);
    const total = await query.clone().resultSize();
    const direction = search.descending ? 'desc' : 'asc';
    const owner = search.text && ownerIn(search.text);
    // Owner by owner, the given one first.
    if (search.priorityOwnerId !== undefined)
      void query.orderByRaw('case when repository.owner_id = ? then 0 else repository.owner_id end', [
        search.priorityOwnerId,
      ]);
    else if (owner) void query.orderBy(ownerContains(owner), 'desc');
    const sort = search.sort ?? 'alpha';
    if (sort === 'path') void query.orderBy('repository.lower_owner_name', direction);
    const rows = total
      ? await query
          .orderBy(sort === 'path' ? 'repository.lower_name' : sortColumns[sort], direction)
          .orderBy('repository.id', direction)
          .limit(search.limit)
          .offset(search.offset)
      : [];
    return { items: rows.map(toRepository), total };
  }
}
