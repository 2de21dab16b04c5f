import { Forbidden, pageOf, type Actor, type Cache, type Database, type QueryCache } from '@mortise/plugin-sdk';
import type { Accounts, Memberships } from '@mortise/accounts/api';
import { refuseBlocked, type Repositories, type Repository, type RepositoryAccess } from '@mortise/repositories/api';
import type { StarOrWatch, StarsAndWatches } from '../contract/stars.js';
import { DeclinedWatchRow } from '../models/declined-watch.js';
import { RepositoryVisibilityRow } from '../models/repositories.js';
import { type MarkRow, StarRow } from '../models/star.js';
import { WatchRow } from '../models/watch.js';

const tables: Readonly<Record<StarOrWatch, { row: typeof MarkRow; counter: 'starCount' | 'watcherCount' }>> = {
  star: { row: StarRow, counter: 'starCount' },
  watch: { row: WatchRow, counter: 'watcherCount' },
};
const kinds = ['star', 'watch'] as const;
const isVisibleToAll = ({ isPrivate, ownerVisibility }: Pick<Repository, 'isPrivate' | 'ownerVisibility'>) =>
  !isPrivate && ownerVisibility === 'public';
/** Rows that are looked at together. */
const rowsPerStep = 200;

/** Stars and watches of repositories; the counters on their rows go along in the same transaction. */
export class StarService implements StarsAndWatches {
  /** Asked for with everything that happens in a repository. */
  readonly #watchers: QueryCache<readonly number[]>;

  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly cache: Pick<Cache, 'query'>;
      readonly access: Pick<RepositoryAccess, 'rightsOf' | 'rightsAmong'>;
      readonly accounts: Pick<Accounts, 'actorOf' | 'addStarred' | 'blocks' | 'byId' | 'byIds'>;
      readonly memberships: Pick<Memberships, 'whereViewable'>;
      readonly repositories: Pick<Repositories, 'byIds' | 'count' | 'hold'>;
    },
  ) {
    this.#watchers = deps.cache.query('stars.watchers');
  }

  async find(kind: StarOrWatch, repositoryId: number, userId: number): Promise<{ createdAt: number } | undefined> {
    const row = await this.deps.database
      .query(tables[kind].row)
      .findOne({ repository_id: repositoryId, user_id: userId });
    return row && { createdAt: Number(row.created_at) };
  }

  /** Idempotent; gives when it was first set. */
  async add(kind: StarOrWatch, repository: Repository, actor: Actor): Promise<{ createdAt: number }> {
    if (actor.kind !== 'user') throw Forbidden('Only accounts can star and watch repositories.');
    await refuseBlocked(this.deps.accounts, actor, repository.ownerId);
    return this.deps.database.write(async () => {
      await this.deps.repositories.hold(repository.id);
      const key = { repository_id: repository.id, user_id: actor.id };
      const there = await this.deps.database.query(tables[kind].row).findOne(key);
      if (there) return { createdAt: Number(there.created_at) };
      const createdAt = Date.now();
      await this.deps.repositories.count(repository.id, tables[kind].counter, 1);
      if (kind === 'watch') {
        await this.deps.database.query(DeclinedWatchRow).delete().where(key);
        await this.deps.database.query(WatchRow).insert({ ...key, created_at: createdAt });
        return { createdAt };
      }
      const isPublic = isVisibleToAll(repository);
      await this.deps.database.query(StarRow).insert({ ...key, is_public: isPublic, created_at: createdAt });
      await this.deps.accounts.addStarred([actor.id], { all: 1, public: isPublic ? 1 : 0 });
      return { createdAt };
    });
  }

  async remove(kind: StarOrWatch, repository: Repository, actor: Actor): Promise<void> {
    const key = { repository_id: repository.id, user_id: actor.id };
    await this.deps.database.write(async () => {
      const isGone = await this.#remove(kind, repository.id, actor.id);
      if (kind === 'watch' && isGone) await this.deps.database.query(DeclinedWatchRow).insert(key);
    });
  }

  /** Removes the star and the watch of a user who sees the repository no more; inside the caller's transaction. */
  async forget(repositoryId: number, userId: number): Promise<void> {
    for (const kind of kinds) await this.#remove(kind, repositoryId, userId);
  }

  /** Removes what a user has on repositories of an owner that the user sees no more; some at a time. */
  async forgetUnreadable(userId: number, ownerId: number): Promise<void> {
    const { access, accounts, repositories } = this.deps;
    const account = await accounts.byId(userId);
    if (!account) return;
    for (const kind of kinds)
      for await (const rows of this.#inPieces(kind, { user_id: userId })) {
        const known = await repositories.byIds(rows.map((row) => row.repository_id));
        const owned = [...known.values()].filter((one) => one.ownerId === ownerId);
        const contexts = await access.rightsOf(account, owned);
        const lost = owned.filter(({ id }) => !contexts.get(id)?.may('read'));
        await this.#removeAll(
          kind,
          lost.map(({ id }) => ({ repositoryId: id, userId })),
        );
      }
  }

  /** Removes what people have on a repository that they see no more, since it was hidden or handed over. */
  async forgetOutsiders(repositoryId: number): Promise<void> {
    const { access, accounts, repositories } = this.deps;
    for (const kind of kinds)
      for await (const rows of this.#inPieces(kind, { repository_id: repositoryId })) {
        const repository = (await repositories.byIds([repositoryId])).get(repositoryId);
        if (!repository) return;
        const users = await accounts.byIds(rows.map((row) => row.user_id));
        const rights = await access.rightsAmong([...users.values()], repository);
        const lost = [...users.keys()].filter((id) => !rights.get(id)?.may('read'));
        await this.#removeAll(
          kind,
          lost.map((userId) => ({ repositoryId, userId })),
        );
      }
  }

  async *#inPieces(kind: StarOrWatch, where: { user_id: number } | { repository_id: number }) {
    for (let after = 0; ;) {
      const rows = await this.deps.database
        .query(tables[kind].row)
        .select('id', 'user_id', 'repository_id')
        .where(where)
        .where('id', '>', after)
        .orderBy('id')
        .limit(rowsPerStep);
      if (rows.length > 0) yield rows;
      if (rows.length < rowsPerStep) return;
      after = rows.at(-1)!.id;
    }
  }

  async #removeAll(kind: StarOrWatch, lost: readonly { repositoryId: number; userId: number }[]): Promise<void> {
    if (lost.length === 0) return;
    await this.deps.database.write(async () => {
      for (const { repositoryId, userId } of lost) await this.#remove(kind, repositoryId, userId);
    });
  }

  /** Whether there was one. */
  async #remove(kind: StarOrWatch, repositoryId: number, userId: number): Promise<boolean> {
    const key = { repository_id: repositoryId, user_id: userId };
    const star = kind === 'star' ? await this.deps.database.query(StarRow).findOne(key).forUpdate() : undefined;
    const gone = await this.deps.database.query(tables[kind].row).delete().where(key);
    if (!gone) return false;
    await this.deps.repositories.count(repositoryId, tables[kind].counter, -1);
    if (star) await this.deps.accounts.addStarred([userId], { all: -1, public: star.is_public ? -1 : 0 });
    return true;
  }

  async users(
    kind: StarOrWatch,
    repositoryId: number,
    viewer: Actor,
    { limit, offset }: { limit: number; offset: number },
  ): Promise<{ userIds: number[]; total: number }> {
    const query = this.deps.database.query(tables[kind].row).where('repository_id', repositoryId);
    this.deps.memberships.whereViewable(viewer, query, 'user_id');
    const { rows, total } = await pageOf(query.orderBy('id'), { limit, offset });
    return { userIds: rows.map((row) => row.user_id), total };
  }

  async watchers(repositoryId: number): Promise<number[]> {
    const load = async () => {
      const where = { repository_id: repositoryId };
      const rows = await this.deps.database.rows.find(WatchRow, where, { columns: ['user_id'] });
      return rows.map((row) => row.user_id);
    };
    const ids = await this.#watchers.load(String(repositoryId), load, { size: (kept) => 200 + 8 * kept.length });
    return [...ids];
  }

  /** The watch of who makes a repository, in the transaction that makes it. */
  async watchOwned(repositoryId: number, userId: number): Promise<void> {
    const { database, repositories } = this.deps;
    await database.query(WatchRow).insert({ repository_id: repositoryId, user_id: userId, created_at: Date.now() });
    await repositories.count(repositoryId, 'watcherCount', 1);
  }

  /** The watch of who has pushed, unless they have stopped watching before. */
  async watchPushed(repositoryId: number, userId: number): Promise<void> {
    const { access, accounts, database, repositories } = this.deps;
    if (userId <= 0 || (await this.watchers(repositoryId)).includes(userId)) return;
    if (await database.rows.findOne(DeclinedWatchRow, { repository_id: repositoryId, user_id: userId })) return;
    const [account, known] = await Promise.all([accounts.byId(userId), repositories.byIds([repositoryId])]);
    const repository = known.get(repositoryId);
    if (!account || account.kind !== 'user' || !repository) return;
    const rights = (await access.rightsOf(account, [repository])).get(repositoryId);
    if (rights?.may('read')) await this.add('watch', repository, accounts.actorOf(account, 'push'));
  }

  /** What was starred by everybody is, once private, starred by nobody; inside the caller's transaction. */
  async clearStars(repositoryId: number): Promise<void> {
    const stars = await this.#uncountStars(repositoryId);
    if (stars === 0) return;
    await this.deps.database.query(StarRow).delete().where('repository_id', repositoryId);
    await this.deps.repositories.count(repositoryId, 'starCount', -stars);
  }

  /** Repositories that everybody sees from now on are counted for others too; inside the caller's transaction. */
  async published(repositoryIds: readonly number[]): Promise<void> {
    await this.#setPublic(true, { repositoryIds, visibility: ['public'] });
  }

  /** An owner is seen by others than before, and with it what is not private; inside the caller's transaction. */
  async ownerVisibilityChanged(ownerId: number, isPublic: boolean): Promise<void> {
    await this.#setPublic(isPublic, { ownerId });
  }

  /** A repository has another owner. */
  async ownerChanged(repositoryId: number): Promise<void> {
    await this.deps.database.write(async () => {
      await this.#setPublic(true, { repositoryIds: [repositoryId], visibility: ['public'] });
      await this.#setPublic(false, { repositoryIds: [repositoryId], visibility: ['limited', 'private'] });
    });
  }

  /** Stars of repositories that are not private; those of private ones are never public. */
  async #setPublic(
    isPublic: boolean,
    among: {
      readonly ownerId?: number;
      readonly repositoryIds?: readonly number[];
      readonly visibility?: readonly Repository['ownerVisibility'][];
    },
  ): Promise<void> {
    const { accounts, database } = this.deps;
    const open = RepositoryVisibilityRow.query().select('id');
    if (among.ownerId !== undefined) void open.where({ owner_id: among.ownerId, is_private: false });
    if (among.repositoryIds) void open.whereIn('id', [...among.repositoryIds]);
    if (among.visibility) void open.whereIn('owner_visibility', [...among.visibility]);
    const changed = () => database.query(StarRow).where('is_public', !isPublic).whereIn('repository_id', open.clone());
    const rows = (await changed().select('user_id').count('* as count').groupBy('user_id')) as unknown as {
      readonly user_id: number;
      readonly count: number | string;
    }[];
    if (rows.length === 0) return;
    await changed().patch({ is_public: isPublic });
    for (const count of new Set(rows.map((row) => Number(row.count)))) {
      const ids = rows.filter((row) => Number(row.count) === count).map((row) => row.user_id);
      await accounts.addStarred(ids, { public: isPublic ? count : -count });
    }
  }

  /** Before a repository is deleted with all rows that name it: those who starred it have one star less. */
  async repositoryDeleting(repositoryId: number): Promise<void> {
    await this.#uncountStars(repositoryId);
  }

  async #uncountStars(repositoryId: number): Promise<number> {
    const stars = await this.deps.database
      .query(StarRow)
      .select('user_id', 'is_public')
      .where('repository_id', repositoryId);
    for (const isPublic of [true, false]) {
      const of = stars.filter((star) => star.is_public === isPublic).map((star) => star.user_id);
      await this.deps.accounts.addStarred(of, { all: -1, public: isPublic ? -1 : 0 });
    }
    return stars.length;
  }

  /** Removes all stars and watches of an account that is deleted; inside the caller's transaction. */
  async userDeleting(userId: number): Promise<void> {
    for (const kind of kinds) {
      const { row, counter } = tables[kind];
      const repositoryRows = await this.deps.database.query(row).select('repository_id').where('user_id', userId);
      await this.deps.repositories.count(
        repositoryRows.map((one) => one.repository_id),
        counter,
        -1,
      );
      await this.deps.database.query(row).delete().where('user_id', userId);
    }
  }

  /** Two accounts part: neither keeps stars or watches on the other's repositories; inside the caller's transaction. */
  async removeStarsBetween(one: number, other: number): Promise<void> {
    for (const [owner, userId] of [
      [one, other],
      [other, one],
    ] as const) {
      const lists = await Promise.all(
        kinds.map((kind) =>
          this.deps.database.query(tables[kind].row).select('repository_id').where('user_id', userId),
        ),
      );
      const repositoryRows = await this.deps.repositories.byIds(lists.flat().map((row) => row.repository_id));
      for (const { id, ownerId } of repositoryRows.values()) if (ownerId === owner) await this.forget(id, userId);
    }
  }
}
