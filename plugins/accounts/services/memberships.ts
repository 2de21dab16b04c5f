import type { QueryBuilder } from 'objection';
import type { Actor, QueryCache, Model, PointReader } from '@mortise/plugin-sdk';
import type { Account, Membership, Memberships, MembershipSource } from '../api.js';
import { AccountRow } from '../models/account.js';
import { whereKnown } from './account-finder.js';

type Belonging = ReadonlyMap<number, Membership>;

/** As far as it can be said without looking at memberships. */
function mayViewOpen(actor: Actor, account: Account): boolean | undefined {
  if (actor.isAdmin) return true;
  if (actor.kind === 'user' && actor.id === account.id) return true;
  if (account.visibility === 'public') return true;
  if (actor.kind !== 'user') return false;
  return account.visibility === 'limited' && !actor.isRestricted ? true : undefined;
}

/** Who belongs to what, as the plugins tell that have organizations. */
export class MembershipService implements Memberships {
  constructor(
    private readonly sources: PointReader<MembershipSource>,
    /** By the id of the person. */
    private readonly known: QueryCache<Belonging>,
  ) {}

  async of(userId: number): Promise<Belonging> {
    return (await this.#ofMany([userId])).get(userId)!;
  }

  async isMember(userId: number, organizationId: number): Promise<boolean> {
    return (await this.of(userId)).has(organizationId);
  }

  async isOwner(actor: Actor, account: Account): Promise<boolean> {
    if (actor.kind !== 'user') return false;
    if (actor.isAdmin || actor.id === account.id) return true;
    if (account.kind !== 'organization') return false;
    return (await this.of(actor.id)).get(account.id)?.isOwner ?? false;
  }

  async mayView(actor: Actor, account: Account): Promise<boolean> {
    return mayViewOpen(actor, account) ?? (await this.#known(actor, [account])).length > 0;
  }

  async viewable(actor: Actor, accounts: readonly Account[]): Promise<Account[]> {
    return actor.publicOnly
      ? accounts.filter(({ visibility }) => visibility === 'public')
      : this.#known(actor, accounts);
  }

  async #known(actor: Actor, accounts: readonly Account[]): Promise<Account[]> {
    const unclear = accounts.filter((account) => mayViewOpen(actor, account) === undefined);
    const userIds = unclear.filter(({ kind }) => kind === 'user').map(({ id }) => id);
    const known = unclear.length ? await this.#ofMany([actor.id, ...userIds]) : new Map<number, Belonging>();
    const own = known.get(actor.id);
    const isClose = ({ kind, id }: Account) =>
      kind === 'organization'
        ? (own?.has(id) ?? false)
        : [...(known.get(id)?.keys() ?? [])].some((organization) => own?.has(organization));
    return accounts.filter((account) => mayViewOpen(actor, account) ?? isClose(account));
  }

  whereViewable(actor: Actor, query: QueryBuilder<Model>, column: string): void {
    if (actor.isAdmin && !actor.publicOnly) return;
    // by the row: as a list, SQLite would first gather all accounts that the actor may know of
    const known = AccountRow.query().alias('viewable').select('viewable.id').whereColumn('viewable.id', column);
    whereKnown(known, actor, this.sources.list(), 'viewable');
    void query.whereExists(known);
  }

  #ofMany(userIds: readonly number[]): Promise<Map<number, Belonging>> {
    return this.known.loadMany(userIds, async (missing) => {
      const byUser = new Map(missing.map((id) => [id, new Map<number, Membership>()]));
      for (const source of this.sources.list())
        for (const one of await source.of(missing)) byUser.get(one.userId)?.set(one.organizationId, one);
      return byUser;
    });
  }
}
