import { createHash } from 'node:crypto';
import { BaseModel, type Cache, type Database, type QueryCache } from '@mortise/plugin-sdk';
import { isZeroOid, type GitReader, type RefsUpdated } from '@mortise/git/api';
import type { PullRequest } from '../api.js';
import { PullRow } from '../models/pull.js';
import type { PullReader } from './pull-reader.js';

class BranchPusherRow extends BaseModel {
  static override tableName = 'branch_pusher';
  declare id: number;
  declare repository_id: number;
  declare branch_hash: string;
  declare user_id: number;
  declare oid: string;
  declare pushed_at: number;
}

/** An account that pushed to a branch, and the commit that it pushed last. */
interface BranchPush {
  readonly userId: number;
  readonly oid: string;
  readonly at: number;
}

const heads = 'refs/heads/';
const chunkSize = 200;
const unknownPusher = 0;
/** Pushes whose commits are looked for in the head; of more, all count as part of it. */
const maxLookedFor = 50;
const hashOf = (branch: string): string => createHash('sha1').update(branch).digest('hex');

/** Knows which accounts pushed the commits of a pull request, by whatever way: git, the API, pages, or the service. */
export class BranchPushers {
  readonly #pushes: QueryCache<readonly BranchPush[]>;

  constructor(
    private readonly deps: {
      readonly cache: Cache;
      readonly database: Database;
      readonly gitReader: GitReader;
      readonly reader: PullReader;
    },
  ) {
    this.#pushes = deps.cache.query('pulls.branchPushers');
  }

  /** Records the pusher of each branch; in the transaction of the references, so that none is missed. */
  async record({ repositoryId, updates, pusherId, at }: RefsUpdated): Promise<void> {
    const branches = updates.filter(({ ref }) => ref.startsWith(heads));
    if (await this.#rename(repositoryId, branches)) return;
    const moved = branches.filter(({ new: oid }) => !isZeroOid(oid));
    const deleted = branches.filter(({ new: oid }) => isZeroOid(oid));
    for (let from = 0; from < moved.length; from += chunkSize)
      // by knex: models insert several rows at once on other engines only
      await this.deps.database
        .knex()(BranchPusherRow.tableName)
        .insert(
          moved.slice(from, from + chunkSize).map(({ ref, new: oid }) => ({
            repository_id: repositoryId,
            branch_hash: hashOf(ref.slice(heads.length)),
            user_id: Math.max(0, pusherId),
            oid,
            pushed_at: at,
          })),
        )
        .onConflict(['repository_id', 'branch_hash', 'user_id'])
        .merge(['oid', 'pushed_at']);
    for (let from = 0; from < deleted.length; from += chunkSize)
      await this.#forget(
        repositoryId,
        deleted.slice(from, from + chunkSize).map(({ ref }) => ref.slice(heads.length)),
      );
  }

  /**
   * Of these accounts, those that pushed a commit of the head after the pull request was opened, or whose push is the
   * newest, whenever it came. A commit that is no longer in the head, or has come to the base, makes nobody a pusher.
   */
  async unreviewed(pull: PullRequest, openedAt: number, userIds: readonly number[]): Promise<Set<number>> {
    const wanted = new Set(userIds);
    const pushes = await this.#pushesTo(pull);
    return this.#inHead(
      pull,
      pushes.filter(
        ({ userId, oid, at, isFirst }) => wanted.has(userId) && !isFirst && (at > openedAt || oid === pull.headOid),
      ),
    );
  }

  /** Does every commit of the head come from that account, also those that were pushed before it was opened? */
  async areAllOf(pull: PullRequest, userId: number): Promise<boolean> {
    const others = (await this.#pushesTo(pull)).filter((push) => push.userId !== userId);
    return (await this.#inHead(pull, others)).size === 0;
  }

  /** The account that pushed this commit to the head last; 0: none that is known. */
  async pusherOf(pull: PullRequest, oid: string): Promise<number> {
    const pushes = pull.flow === 'branch' && pull.headRepositoryId ? await this.#toBranch(pull) : [];
    const [last] = pushes.filter((push) => push.oid === oid).toSorted((one, other) => other.at - one.at);
    return last?.userId ?? 0;
  }

  /** By the branch and by the states of the head that the pull request has had. */
  async #pushesTo(pull: PullRequest): Promise<(BranchPush & { readonly isFirst: boolean })[]> {
    const toBranch = pull.flow === 'branch' && pull.headRepositoryId ? await this.#toBranch(pull) : [];
    const versions = await this.deps.reader.versions(pull);
    return [
      ...toBranch.map((push) => ({ ...push, isFirst: false })),
      // the first was opened and not pushed, and one of an unknown pusher is known by the branch
      ...versions
        .filter(({ number, pusherId }) => toBranch.length === 0 || (number > 1 && pusherId > 0))
        .map(({ number, pusherId, headOid, createdAt }) => ({
          // it names who opened the pull request; who had pushed the branch is not known
          userId: number === 1 && pull.flow === 'branch' ? unknownPusher : pusherId,
          oid: headOid,
          at: createdAt,
          isFirst: number === 1,
        })),
    ];
  }

  #toBranch({ headRepositoryId, headBranch }: PullRequest): Promise<readonly BranchPush[]> {
    const hash = hashOf(headBranch);
    return this.#pushes.load(`${headRepositoryId}:${hash}`, async () => {
      const rows = await this.deps.database
        .query(BranchPusherRow)
        .where({ repository_id: headRepositoryId, branch_hash: hash })
        .orderBy('id');
      return rows.map((row) => ({ userId: row.user_id, oid: row.oid, at: Number(row.pushed_at) }));
    });
  }

  /** Accounts of those pushes whose commit is in the head and not in the base. */
  async #inHead(pull: PullRequest, pushes: readonly BranchPush[]): Promise<Set<number>> {
    const git = this.deps.gitReader.open(pull.repositoryId);
    const pushers = new Set<number>();
    for (const [index, { userId, oid }] of pushes.entries()) {
      if (pushers.has(userId)) continue;
      const isPart =
        index >= maxLookedFor ||
        oid === pull.headOid ||
        ((await git.isAncestor(oid, pull.headOid)) && !(await git.isAncestor(oid, pull.baseOid)));
      if (isPart) pushers.add(userId);
    }
    return pushers;
  }

  /** A branch that goes away as another begins at its tip has a new name: that makes nobody a pusher of its commits. */
  async #rename(repositoryId: number, updates: RefsUpdated['updates']): Promise<boolean> {
    const from = updates.find(({ new: oid }) => isZeroOid(oid));
    const to = updates.find(({ old }) => isZeroOid(old));
    if (updates.length !== 2 || !from || !to || from.old !== to.new) return false;
    const { database } = this.deps;
    const rowsOf = ({ ref }: { readonly ref: string }) =>
      database
        .query(BranchPusherRow)
        .where({ repository_id: repositoryId, branch_hash: hashOf(ref.slice(heads.length)) });
    await rowsOf(to).delete();
    await rowsOf(from).patch({ branch_hash: hashOf(to.ref.slice(heads.length)) });
    return true;
  }

  /** A branch that is gone: its pushers are kept while it can be restored for a pull request. */
  async #forget(repositoryId: number, branches: readonly string[]): Promise<void> {
    const { database } = this.deps;
    const needed = await database
      .query(PullRow)
      .select('head_branch')
      .where({ head_repository_id: repositoryId, is_merged: false })
      .whereIn('head_branch', [...branches]);
    const preserved = new Set(needed.map((row) => row.head_branch));
    const hashes = branches.filter((branch) => !preserved.has(branch)).map(hashOf);
    if (hashes.length)
      await database
        .query(BranchPusherRow)
        .delete()
        .where('repository_id', repositoryId)
        .whereIn('branch_hash', hashes);
  }
}
