import { Problem, type Database, type TakeoverContext } from '@mortise/plugin-sdk';
import { isCorruptObject, type GitReader, type GitRepository } from '@mortise/git/api';
import type { PullImports } from '../api.js';
import { PullVersionRow } from '../models/pull-version.js';
import { PullRow, openKeyOf, toPull } from '../models/pull.js';
import type { DifferenceFinder } from '../services/difference.js';
import { headRef, type PullRefs } from '../services/pull-refs.js';

interface PullTakeoverDeps {
  readonly database: Database;
  readonly gitReader: GitReader;
  readonly differences: DifferenceFinder;
  readonly refs: Pick<PullRefs, 'keepAll'>;
  readonly imports: Pick<PullImports, 'checkOpen'>;
}

/** What git says of a pull request whose head is new here. */
interface ReadPull {
  readonly row: PullRow;
  readonly version: number;
  /** About then: when its last commit was made. */
  readonly pushedAt: number;
  readonly columns: Partial<PullRow> & Pick<PullRow, 'head_oid' | 'merge_base'>;
}

const pageSize = 200;

/** After a pass: what git says of pull requests that are new, and of open ones whose head has moved there. */
export async function afterPass(deps: PullTakeoverDeps, context: TakeoverContext): Promise<void> {
  const { database } = deps;
  for (let after = 0; ;) {
    const page = await database
      .query(PullRow)
      .where('issue_id', '>', after)
      .where((either) => void either.where('is_open', true).orWhere('head_oid', ''))
      .orderBy('issue_id')
      .limit(pageSize);
    const last = page.at(-1);
    if (!last) break;
    after = last.issue_id;
    for (const repositoryId of new Set(page.map((row) => row.repository_id)))
      await readPulls(
        deps,
        repositoryId,
        page.filter((row) => row.repository_id === repositoryId),
        context,
      );
  }
  await setAutoMergeHeads(database);
}

async function readPulls(
  deps: PullTakeoverDeps,
  repositoryId: number,
  rows: readonly PullRow[],
  context: TakeoverContext,
): Promise<void> {
  const git = deps.gitReader.open(repositoryId);
  const versions = await newestVersions(deps.database, rows);
  const moved: ReadPull[] = [];
  for (const row of rows)
    try {
      const head = await headOf(git, row);
      if (!head) context.report(`pull request ${row.number} of repository ${repositoryId} has no commits`);
      else if (head !== row.head_oid) moved.push(await readPull(deps, git, row, head, versions.get(row.issue_id)));
    } catch (error) {
      if (!Problem.is(error) && !isCorruptObject(error)) throw error;
      context.report(`pull request ${row.number} of repository ${repositoryId} cannot be read: ${String(error)}`);
    }
  if (moved.length === 0) return;
  await deps.refs.keepAll(
    repositoryId,
    moved.map(({ row, version, columns }) => ({ index: row.number, headOid: columns.head_oid, version })),
  );
  await deps.database.write(() => storePulls(deps.database, moved));
  if (moved.some(({ row }) => row.is_open)) await deps.imports.checkOpen(repositoryId);
}

/** Its reference; of one that was merged without one, what the merge left. */
async function headOf(git: GitRepository, { number, merge_commit: merge }: PullRow): Promise<string> {
  const ref = await git.ref(headRef(number));
  if (ref) return ref.oid;
  return merge && (await isCommit(git, merge)) ? merge : '';
}

const isCommit = async (git: GitRepository, oid: string): Promise<boolean> =>
  /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(oid) && (await git.info(oid))?.type === 'commit';

/** By the id of the issue: a head that came in an earlier pass has one. */
async function newestVersions(database: Database, rows: readonly PullRow[]): Promise<Map<number, PullVersionRow>> {
  const versions = await database
    .query(PullVersionRow)
    .whereIn(
      'issue_id',
      rows.map((row) => row.issue_id),
    )
    .orderBy('number');
  return new Map(versions.map((version) => [version.issue_id, version]));
}

async function readPull(
  { differences }: Pick<PullTakeoverDeps, 'differences'>,
  git: GitRepository,
  row: PullRow,
  head: string,
  newest?: PullVersionRow,
): Promise<ReadPull> {
  const base = (await baseOf(git, row, head)) || head;
  const { mergeBase, ...difference } = await differences.difference(git.id, base, head);
  const { committer } = await git.commit(head);
  return {
    row,
    version: newest?.head_oid === head ? newest.number : (newest?.number ?? 0) + 1,
    pushedAt: committer.time,
    columns: {
      head_oid: head,
      base_oid: base,
      merge_base: mergeBase,
      commit_count: difference.commitCount,
      changed_files: difference.changedFiles,
      additions: difference.additions,
      deletions: difference.deletions,
    },
  };
}

/**
 * The tip of the base branch; of a pull request that is not open any more what stood before the merge. Where that parts
 * from the head elsewhere than the other server says, as after a fast-forward, its word counts.
 */
async function baseOf(git: GitRepository, row: PullRow, head: string): Promise<string> {
  const tip = (await git.branch(row.base_branch))?.oid;
  const known = (await isCommit(git, row.merge_base)) ? row.merge_base : '';
  if (row.is_open) return tip ?? known;
  const merge = (await isCommit(git, row.merge_commit)) ? await git.commit(row.merge_commit) : undefined;
  const before = merge ? merge.parents[0] : tip;
  if (!known) return before ?? '';
  return before && (await git.mergeBase(before, head)) === known ? before : known;
}

async function storePulls(database: Database, pulls: readonly ReadPull[]): Promise<void> {
  const keys = new Map(pulls.filter(({ row }) => row.is_open).map(({ row }) => [row, openKeyOf(toPull(row))]));
  const taken = new Set(
    (
      await database
        .query(PullRow)
        .select('issue_id', 'open_key')
        .whereIn('open_key', [...keys.values()])
    ).map((row) => row.open_key),
  );
  for (const { row, version, pushedAt, columns } of pulls) {
    const key = keys.get(row);
    // two that are open between the same branches: pushes go to the first
    const isFree = key !== undefined && !taken.has(key);
    if (isFree) taken.add(key);
    await database
      .query(PullRow)
      .findById(row.issue_id)
      .patch({
        ...columns,
        version,
        ...(isFree && { open_key: key }),
        ...(row.is_open && { merge_state: 'checking' }),
      });
    await database
      .knex()('pull_version')
      .insert({
        issue_id: row.issue_id,
        number: version,
        head_oid: columns.head_oid,
        merge_base: columns.merge_base,
        pusher_id: 0,
        is_forced: false,
        created_at: pushedAt,
      })
      .onConflict(['issue_id', 'number'])
      .ignore();
  }
}

/** A scheduled merge is about the head that its pull request has. */
async function setAutoMergeHeads(database: Database): Promise<void> {
  await database.write(async () => {
    const knex = database.knex();
    const head = knex.raw('(select ?? from ?? where ?? = ??)', [
      'head_oid',
      'pull_request',
      'pull_request.issue_id',
      'auto_merge.issue_id',
    ]);
    await knex('auto_merge').where('head_oid', '').update({ head_oid: head });
  });
}
