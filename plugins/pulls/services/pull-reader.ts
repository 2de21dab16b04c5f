import type { Cache, Database, QueryCache } from '@mortise/plugin-sdk';
import type { PullRequest } from '../api.js';
import type { PullHead, PullVersion } from '../contract/pulls.js';
import { PullRow, toPull } from '../models/pull.js';
import { PullVersionRow, toVersion } from '../models/pull-version.js';

/** More than this many open ones from or into a branch are not followed at once. */
const maxFollowed = 1000;
/** The same of many branches at once. */
const maxOfMany = 5000;
/** Commits that one statement names. */
const maxCommits = 500;

/** Rows of pull requests. */
export class PullReader {
  readonly #rows: QueryCache<PullRequest | undefined>;

  constructor(private readonly deps: { readonly database: Database; readonly cache: Cache }) {
    this.#rows = deps.cache.query('pulls.rows');
  }

  async byIssueId(issueId: number): Promise<PullRequest | undefined> {
    return (await this.byIssueIds([issueId])).get(issueId);
  }

  async byIssueIds(issueIds: readonly number[]): Promise<Map<number, PullRequest>> {
    const loaded = await this.#rows.loadMany([...new Set(issueIds)], async (missing) => {
      const rows = await this.deps.database.query(PullRow).whereIn('issue_id', [...missing]);
      return new Map(rows.map((row) => [row.issue_id, toPull(row)]));
    });
    return new Map([...loaded].flatMap(([id, pull]) => (pull ? [[id, pull] as const] : [])));
  }

  /** As it stands now, also inside a transaction. */
  async fresh(issueId: number): Promise<PullRequest | undefined> {
    const row = await this.deps.database.query(PullRow).findById(issueId);
    return row && toPull(row);
  }

  openFrom(repositoryId: number, branch: string): Promise<PullRequest[]> {
    return this.#open({ head_repository_id: repositoryId, head_branch: branch, flow: 'branch' });
  }

  /** Was this state of the branch merged by a pull request, whatever commits that made of it? */
  async isMerged(repositoryId: number, branch: string, oid: string): Promise<boolean> {
    const where = { head_repository_id: repositoryId, head_branch: branch, head_oid: oid, is_merged: true };
    return (await this.deps.database.query(PullRow).select('issue_id').where(where).limit(1)).length > 0;
  }

  /** Of many repositories, by one statement, newest first. */
  async openFromAny(heads: readonly PullHead[]): Promise<PullRequest[]> {
    const wanted = new Map<number, Set<string>>();
    for (const { headRepositoryId: id, headBranch } of heads)
      wanted.set(id, (wanted.get(id) ?? new Set()).add(headBranch));
    if (wanted.size === 0) return [];
    const rows = await this.deps.database
      .query(PullRow)
      .where({ is_open: true, flow: 'branch' })
      .where((either) => {
        for (const [id, branches] of wanted)
          void either.orWhere((one) => void one.where('head_repository_id', id).whereIn('head_branch', [...branches]));
      })
      .orderBy('issue_id', 'desc')
      .limit(maxOfMany);
    return rows.map(toPull);
  }

  openInto(repositoryId: number, branch: string): Promise<PullRequest[]> {
    return this.#open({ repository_id: repositoryId, base_branch: branch });
  }

  /** Open ones from or into any of these branches of the repository; at most 500 names. */
  async openOn(repositoryId: number, branches: readonly string[]): Promise<PullRequest[]> {
    if (!branches.length) return [];
    const { database } = this.deps;
    const open = (where: Partial<PullRow>, column: string) =>
      database
        .query(PullRow)
        .where({ ...where, is_open: true })
        .whereIn(column, [...branches])
        .orderBy('issue_id', 'desc')
        .limit(maxOfMany);
    const found = [
      ...(await open({ head_repository_id: repositoryId, flow: 'branch' }, 'head_branch')),
      ...(await open({ repository_id: repositoryId }, 'base_branch')),
    ];
    return [...new Map(found.map((row) => [row.issue_id, toPull(row)])).values()];
  }

  /** The open one between the same branches. */
  async between(key: string): Promise<PullRequest | undefined> {
    const row = await this.deps.database.query(PullRow).findOne({ open_key: key });
    return row && toPull(row);
  }

  /** The newest between these branches, open ones first. */
  async newestBetween(
    pull: Pick<PullRequest, 'repositoryId' | 'baseBranch' | 'headRepositoryId' | 'headBranch'>,
  ): Promise<PullRequest | undefined> {
    const row = await this.deps.database
      .query(PullRow)
      .where({
        repository_id: pull.repositoryId,
        base_branch: pull.baseBranch,
        head_repository_id: pull.headRepositoryId,
        head_branch: pull.headBranch,
        flow: 'branch',
      })
      .orderBy('is_open', 'desc')
      .orderBy('issue_id', 'desc')
      .first();
    return row && toPull(row);
  }

  /** The one that the commit was merged by, or whose head it is. */
  async ofCommit(repositoryId: number, oid: string): Promise<PullRequest | undefined> {
    const { database } = this.deps;
    const merged = await database.query(PullRow).findOne({ repository_id: repositoryId, merge_commit: oid });
    return merged && toPull(merged);
  }

  /** Those that were merged as one of these commits, in the order of their merges. */
  async mergedAs(repositoryId: number, commits: readonly string[]): Promise<PullRequest[]> {
    const pulls: PullRequest[] = [];
    for (let at = 0; at < commits.length; at += maxCommits) {
      const rows = await this.deps.database
        .query(PullRow)
        .where({ repository_id: repositoryId, is_merged: true })
        .whereIn('merge_commit', commits.slice(at, at + maxCommits));
      pulls.push(...rows.map(toPull));
    }
    return pulls.sort((one, other) => one.mergedAt - other.mergedAt || one.index - other.index);
  }

  /** By account: when the first pull request that it opened was merged. */
  async firstMerges(repositoryId: number, posterIds: readonly number[]): Promise<Map<number, number>> {
    if (posterIds.length === 0) return new Map();
    const rows = (await this.deps.database
      .query(PullRow)
      .join('issue', 'issue.id', 'pull_request.issue_id')
      .select('issue.poster_id')
      .min('pull_request.merged_at as merged_at')
      .where({ 'pull_request.repository_id': repositoryId, is_merged: true, 'issue.original_author': '' })
      .whereIn('issue.poster_id', [...posterIds])
      .groupBy('issue.poster_id')) as (PullRow & { readonly poster_id: number })[];
    return new Map(rows.map((row) => [row.poster_id, Number(row.merged_at)]));
  }

  async versions({ issueId }: Pick<PullRequest, 'issueId'>): Promise<PullVersion[]> {
    const rows = await this.deps.database.query(PullVersionRow).where('issue_id', issueId).orderBy('number');
    return rows.map(toVersion);
  }

  async #open(where: Partial<PullRow>): Promise<PullRequest[]> {
    const rows = await this.deps.database
      .query(PullRow)
      .where({ ...where, is_open: true })
      .orderBy('issue_id', 'desc')
      .limit(maxFollowed);
    return rows.map(toPull);
  }
}
