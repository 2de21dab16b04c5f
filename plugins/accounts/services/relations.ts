import {
  actAudited,
  BadRequest,
  Forbidden,
  type Actor,
  type Database,
  type Events,
  type PointReader,
} from '@mortise/plugin-sdk';
import { userBlocked, type Account, type MembershipSource } from '../api.js';
import { AccountRow, toAccount } from '../models/account.js';
import { BlockRow } from '../models/block.js';
import { FollowRow } from '../models/follow.js';
import { whereKnown } from './account-finder.js';
import { t } from '../texts/index.js';

export interface ListOf<T> {
  readonly items: T[];
  readonly total: number;
}

/** One side of a relation between accounts. */
interface Listing {
  readonly table: string;
  /** Column of the account whose list it is. */
  readonly own: string;
  /** Column of those who stand in it. */
  readonly other: string;
  /** Column of the account that counts them. */
  readonly counter?: string;
  readonly userId: number;
  readonly page: { readonly limit: number; readonly offset: number };
  readonly viewer?: Actor;
}

const followers = { table: 'user_follow', own: 'followed_id', other: 'user_id', counter: 'follower_count' };
const following = { table: 'user_follow', own: 'user_id', other: 'followed_id', counter: 'following_count' };

/** Who follows whom, and who will not hear of whom. */
export class Relations {
  constructor(
    private readonly database: Database,
    private readonly events: Events,
    private readonly sources: PointReader<MembershipSource>,
  ) {}

  async follows(userId: number, followedId: number): Promise<boolean> {
    return (await this.database.query(FollowRow).findById([userId, followedId])) !== undefined;
  }

  async follow(userId: number, followedId: number): Promise<void> {
    if (userId === followedId) return;
    await this.database.write(async () => {
      const blocked = await this.database
        .query(BlockRow)
        .where({ blocker_id: userId, blocked_id: followedId })
        .orWhere((other) => void other.where({ blocker_id: followedId, blocked_id: userId }))
        .first();
      if (blocked) throw Forbidden(t.later('error.blocked'));
      if (await this.follows(userId, followedId)) return;
      await this.database.query(FollowRow).insert({ user_id: userId, followed_id: followedId, created_at: Date.now() });
      await this.#count(userId, followedId, 1);
    });
  }

  async unfollow(userId: number, followedId: number): Promise<void> {
    await this.database.write(async () => {
      const gone = await this.database.query(FollowRow).deleteById([userId, followedId]);
      if (gone) await this.#count(userId, followedId, -1);
    });
  }

  followers(userId: number, page: { limit: number; offset: number }, viewer: Actor): Promise<ListOf<Account>> {
    return this.#list({ ...followers, userId, page, viewer });
  }

  following(userId: number, page: { limit: number; offset: number }, viewer: Actor): Promise<ListOf<Account>> {
    return this.#list({ ...following, userId, page, viewer });
  }

  blocked(userId: number, page: { limit: number; offset: number }): Promise<ListOf<Account>> {
    return this.#list({ table: 'user_block', own: 'blocker_id', other: 'blocked_id', userId, page });
  }

  async block(blocker: number, target: Account, note: string): Promise<void> {
    if (blocker === target.id) throw BadRequest(t.later('error.blockSelf'));
    if (target.kind !== 'user') throw BadRequest(t.later('error.blockKind'));
    if (await this.#isMember(target.id, blocker)) throw BadRequest(t.later('error.blockMember'));
    await this.database.write(async () => {
      const existing = await this.database.query(BlockRow).findById([blocker, target.id]);
      if (existing) throw BadRequest(t.later('error.blockedAlready'));
      await this.database
        .query(BlockRow)
        .insert({ blocker_id: blocker, blocked_id: target.id, note: note.slice(0, 255), created_at: Date.now() });
      await this.unfollow(blocker, target.id);
      await this.unfollow(target.id, blocker);
      await this.events.emit(userBlocked, { blockerId: blocker, blockedId: target.id });
      await this.#audit('block', blocker, target);
    });
  }

  async #isMember(userId: number, organizationId: number): Promise<boolean> {
    for (const source of this.sources.list())
      if ((await source.of([userId])).some((membership) => membership.organizationId === organizationId)) return true;
    return false;
  }

  async unblock(blocker: number, blocked: number): Promise<void> {
    await this.database.write(async () => {
      const gone = await this.database.query(BlockRow).deleteById([blocker, blocked]);
      if (!gone) throw BadRequest(t.later('error.notBlocked'));
      const account = await this.database.query(AccountRow).select('id', 'name').findById(blocked);
      if (account) await this.#audit('unblock', blocker, account);
    });
  }

  #audit(verb: 'block' | 'unblock', ownerId: number, { id, name }: Pick<Account, 'id' | 'name'>): Promise<void> {
    const target = { kind: 'user', id, name };
    // not in the log of who is blocked: they are not told
    return this.events.emit(actAudited, { action: `user.${verb}`, target, ownerId });
  }

  async #count(userId: number, followedId: number, by: number): Promise<void> {
    await this.database.query(AccountRow).findById(userId).increment('following_count', by);
    await this.database.query(AccountRow).findById(followedId).increment('follower_count', by);
  }

  async #list(listing: Listing): Promise<ListOf<Account>> {
    const { table, own, other, userId, page, viewer } = listing;
    const { limit, offset } = page;
    const query = this.database
      .query(AccountRow)
      .alias('u')
      .join(`${table} as r`, `r.${other}`, 'u.id')
      .where(`r.${own}`, userId);
    if (viewer) whereKnown(query, viewer, this.sources.list(), 'u');
    const sorted = query.select('u.*').orderBy('r.created_at').orderBy(`r.${other}`);
    const rows = limit > 0 ? await sorted.limit(limit).offset(offset) : [];
    const isLast = rows.length < limit && (rows.length > 0 || offset === 0);
    return { items: rows.map(toAccount), total: isLast ? offset + rows.length : await this.#total(listing) };
  }

  /** All but those whom the viewer may not know of, who are few: who can be seen is not looked up for each. */
  async #total({ table, own, other, counter, userId, viewer }: Listing): Promise<number> {
    const knex = this.database.knex();
    const [all] = counter
      ? await knex('user').where('id', userId).select<{ count: number }[]>({ count: counter })
      : await knex(table).where(own, userId).count<{ count: number | string }[]>('* as count');
    const total = Number(all?.count ?? 0);
    if (!viewer || (viewer.isAdmin && !viewer.publicOnly)) return total;
    const isOutside = viewer.publicOnly || viewer.kind !== 'user' || viewer.isRestricted;
    const following = knex(`${table} as r`).where(`r.${own}`, userId).where(`r.${other}`, knex.ref('u.id'));
    const hidden = await this.database
      .query(AccountRow)
      .alias('u')
      .whereIn('u.visibility', isOutside ? ['limited', 'private'] : ['private'])
      .whereExists(following)
      .whereNot((known) => whereKnown(known, viewer, this.sources.list(), 'u'))
      .resultSize();
    return Math.max(0, total - hidden);
  }
}
