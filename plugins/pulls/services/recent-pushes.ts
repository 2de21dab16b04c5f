import { createHash } from 'node:crypto';
import { BaseModel, type Actor, type Cache, type Database, type QueryCache } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import { isZeroOid, type GitReader, type RefsUpdated } from '@mortise/git/api';
import type { Repositories, Repository, RepositoryAccess } from '@mortise/repositories/api';
import type { PullReader } from './pull-reader.js';

class RecentPushRow extends BaseModel {
  static override tableName = 'recent_push';
  declare id: number;
  declare user_id: number;
  declare repository_id: number;
  declare base_id: number;
  declare branch_hash: string;
  declare branch: string;
  declare pushed_at: number;
}

const hour = 3_600_000;
/** So long it is told of, so long it is kept. */
const shownMs = 6 * hour;
const maxAgeMs = 24 * hour;
/** Whoever pushes more branches at once mirrors something. */
const maxBranches = 5;
const maxShown = 2;
/** Of its name; git lets branches be called longer, and they are not told of. */
const maxName = 255;
const heads = 'refs/heads/';
const sources: readonly string[] = ['http', 'ssh', 'web', 'api'];

/** A branch that somebody pushed a while ago, and has no pull request yet. */
export interface RecentPush {
  readonly repository: Repository;
  readonly branch: string;
  readonly pushedAt: number;
}

/** Branches that people pushed to of late. */
export class RecentPushes {
  readonly #rows: QueryCache<readonly RecentPushRow[]>;
  readonly #proposed: QueryCache<boolean>;

  constructor(
    private readonly deps: {
      readonly accounts: Accounts;
      readonly cache: Cache;
      readonly database: Database;
      readonly gitReader: GitReader;
      readonly repositories: Repositories;
      readonly repositoryAccess: RepositoryAccess;
      readonly reader: PullReader;
    },
  ) {
    this.#rows = deps.cache.query('pulls.recentPushes');
    this.#proposed = deps.cache.query('pulls.recentProposed');
  }

  /** In the transaction of the references. */
  async record({ repositoryId, updates, pusherId, source, at }: RefsUpdated): Promise<void> {
    const { accounts, database, repositories } = this.deps;
    if (pusherId <= 0 || !sources.includes(source)) return;
    const branches = updates.filter(({ ref, new: oid }) => ref.startsWith(heads) && !isZeroOid(oid));
    const repository =
      branches.length && branches.length <= maxBranches ? await repositories.byId(repositoryId) : undefined;
    const names = branches
      .map(({ ref }) => ref.slice(heads.length))
      .filter((name) => name !== repository?.defaultBranch && name.length <= maxName);
    // what fails here would refuse the push; whoever pushed may be gone by now
    if (!repository || !names.length || !(await accounts.byId(pusherId))) return;
    await database
      .query(RecentPushRow)
      .delete()
      .where('user_id', pusherId)
      .where('pushed_at', '<', at - maxAgeMs);
    // by knex: models insert several rows at once on other engines only
    await database
      .knex()(RecentPushRow.tableName)
      .insert(
        names.map((branch) => ({
          user_id: pusherId,
          repository_id: repositoryId,
          base_id: repository.forkOfId || repositoryId,
          branch_hash: createHash('sha1').update(branch).digest('hex'),
          branch,
          pushed_at: at,
        })),
      )
      .onConflict(['user_id', 'repository_id', 'branch_hash'])
      .merge(['pushed_at', 'base_id']);
  }

  /** What the actor may want to propose to the repository, the newest first. */
  async of(repository: Repository, actor: Actor): Promise<RecentPush[]> {
    const { gitReader, repositories, repositoryAccess } = this.deps;
    const all = await this.#rowsOf(repository.id, actor.id);
    const rows = all.filter((row) => Number(row.pushed_at) > Date.now() - shownMs);
    const base = rows.length ? await gitReader.open(repository.id).branch(repository.defaultBranch) : undefined;
    if (!base) return [];
    const pushes: RecentPush[] = [];
    for (const row of rows) {
      const head = row.repository_id === repository.id ? repository : await repositories.byId(row.repository_id);
      if (!head || !(await repositoryAccess.context(actor, head)).may('read', 'code')) continue;
      const tip = await gitReader.open(head.id).branch(row.branch);
      if (!tip || tip.oid === base.oid || (await this.#isProposed(head.id, row.branch, tip.oid))) continue;
      pushes.push({ repository: head, branch: row.branch, pushedAt: Number(row.pushed_at) });
      if (pushes.length === maxShown) break;
    }
    return pushes;
  }

  #rowsOf(repositoryId: number, userId: number): Promise<readonly RecentPushRow[]> {
    return this.#rows.load(`${repositoryId}:${userId}`, async () =>
      this.deps.database
        .query(RecentPushRow)
        .where('user_id', userId)
        .where((either) => void either.where('repository_id', repositoryId).orWhere('base_id', repositoryId))
        .orderBy('pushed_at', 'desc')
        .limit(maxBranches),
    );
  }

  /** Is it in a pull request that is open, or was what it holds merged by one? */
  #isProposed(repositoryId: number, branch: string, oid: string): Promise<boolean> {
    const { reader } = this.deps;
    return this.#proposed.load(
      `${repositoryId}:${branch}:${oid}`,
      async () =>
        (await reader.openFrom(repositoryId, branch)).length > 0 || (await reader.isMerged(repositoryId, branch, oid)),
    );
  }
}
