import {
  Conflict,
  Problem,
  defineJob,
  refuseDuplicate,
  type Database,
  type Jobs,
  type Logger,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import { isCorruptObject, isZeroOid, type GitReader, type RefsUpdated, type RefUpdate } from '@mortise/git/api';
import type { IssueEvent, Issues } from '@mortise/issues/api';
import type { Repositories } from '@mortise/repositories/api';
import type { PullRequest } from '../api.js';
import { checkBranch, forgetPull } from '../jobs/check.js';
import { AutoMergeRow } from '../models/auto-merge.js';
import { PullRow, openKeyOf, toPull } from '../models/pull.js';
import type { DraftTitles } from '../services/draft-titles.js';
import { mergedFact, unitOption } from '../services/pull-merger.js';
import type { PullEditor } from '../services/pull-editor.js';
import type { BranchPushers } from '../services/branch-pushers.js';
import type { RecentPushes } from '../services/recent-pushes.js';
import type { PullReader } from '../services/pull-reader.js';
import { headFact, headRef } from '../services/pull-refs.js';
import type { MergeRecorder } from '../services/merge-recorder.js';
import type { PullSyncer } from '../services/pull-syncer.js';
import { t } from '../texts/index.js';

const heads = 'refs/heads/';
const nameOf = ({ ref }: RefUpdate) => ref.slice(heads.length);
/** Branches that are looked for with one query. */
const branchesPerQuery = 500;

/** Moved branches by name, a piece at a time: a push may move thousands, and few of them have pull requests. */
function* branchesIn({ updates }: RefsUpdated): Generator<ReadonlyMap<string, RefUpdate>> {
  const branches = updates.filter(({ ref }) => ref.startsWith(heads));
  for (let at = 0; at < branches.length; at += branchesPerQuery)
    yield new Map(branches.slice(at, at + branchesPerQuery).map((update) => [nameOf(update), update]));
}

/** Not by a decision: nothing keeps it open. */
const closedAsConsequence = { isClosed: true, closing: { isConsequence: true } } as const;

interface FollowDeps {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly log: Pick<Logger, 'warn'>;
  readonly accounts: Accounts;
  readonly gitReader: GitReader;
  readonly repositories: Repositories;
  readonly issues: Issues;
  readonly reader: PullReader;
  readonly syncer: PullSyncer;
  readonly recent: RecentPushes;
  readonly branchPushers: BranchPushers;
  readonly mergeRecorder: MergeRecorder;
  readonly editor: PullEditor;
  readonly followsMerged: boolean;
}

/** In the transaction of the references: a merge is written down, and what goes into a moved branch is to be looked at. */
export async function recordMoves(
  moved: RefsUpdated,
  {
    database,
    jobs,
    recent,
    branchPushers,
    mergeRecorder,
  }: Pick<FollowDeps, 'database' | 'jobs' | 'recent' | 'branchPushers' | 'mergeRecorder'>,
): Promise<void> {
  if (moved.kind !== 'code') return;
  await recent.record(moved);
  await branchPushers.record(moved);
  const fact = mergedFact.of(moved);
  if (fact && moved.updates.length === 1) await mergeRecorder.record(fact, moved.updates[0]!.new, moved.at);
  for (const branches of branchesIn(moved)) {
    const into = await database
      .query(PullRow)
      .distinct('base_branch')
      .where({ repository_id: moved.repositoryId, is_open: true })
      .whereIn('base_branch', [...branches.keys()]);
    for (const { base_branch: branch } of into) {
      // names are compared without case by some engines
      const update = branches.get(branch);
      if (!update) continue;
      await database
        .query(PullRow)
        .where({ repository_id: moved.repositoryId, base_branch: branch, is_open: true })
        .whereNot('merge_state', 'checking')
        .patch({ merge_state: 'checking' });
      if (!isZeroOid(update.new))
        await jobs.enqueue(
          checkBranch,
          { repositoryId: moved.repositoryId, branch },
          { uniqueKey: `pulls.checkBranch:${moved.repositoryId}:${branch}`, group: String(moved.repositoryId) },
        );
    }
  }
}

/** After it: heads move on, what lost a branch is closed, what was merged elsewhere is taken as merged. */
export async function followMoves(moved: RefsUpdated, deps: FollowDeps): Promise<void> {
  if (moved.kind !== 'code') return;
  await followHeadRef(moved, deps);
  for (const branches of branchesIn(moved))
    for (const pull of await deps.reader.openOn(moved.repositoryId, [...branches.keys()])) {
      const head = pull.flow === 'branch' && pull.headRepositoryId === moved.repositoryId;
      await followOrReport(pull, deps, {
        issueId: pull.issueId,
        repositoryId: moved.repositoryId,
        pusherId: moved.pusherId,
        at: moved.at,
        isHead: head && branches.has(pull.headBranch),
        base: pull.repositoryId === moved.repositoryId ? branches.get(pull.baseBranch) : undefined,
      });
    }
}

/** What a moved branch means for one pull request; survives `JSON.stringify`. */
interface PullMove {
  readonly issueId: number;
  /** Where the branch moved. */
  readonly repositoryId: number;
  readonly pusherId: number;
  readonly at: number;
  readonly isHead: boolean;
  readonly base: RefUpdate | undefined;
}
export const followPull = defineJob<PullMove>('pulls.follow');

/** Follows one; done twice is done once. */
export async function followOne(work: PullMove, deps: FollowDeps): Promise<void> {
  const { reader } = deps;
  let pull = await reader.fresh(work.issueId);
  if (!pull?.isOpen) return;
  if (work.isHead) {
    // what the branch is by now counts, and not what it was when the event was written
    const oid = await deps.syncer.tip(pull);
    if (!oid) return close(pull, work, deps);
    pull = await deps.syncer.head(pull.issueId, { oid, pusherId: work.pusherId, at: work.at });
  }
  if (!pull?.isOpen || !work.base) return;
  if (isZeroOid(work.base.new)) await leaveBase(pull, work, deps);
  else await detectMerged(pull, work.base, work, deps);
}

/**
 * One that cannot be read, or is too large, keeps nobody else waiting; whoever looks at it is told. What else fails is
 * tried again by a job of its own.
 */
async function followOrReport(pull: PullRequest, deps: FollowDeps, work: PullMove): Promise<void> {
  const { database, jobs, log } = deps;
  try {
    await followOne(work, deps);
  } catch (error) {
    log.warn('could not update a pull request after a push', {
      event: 'pull.update',
      issueId: pull.issueId,
      error: String(error).slice(0, 500),
    });
    await database.write(async () => {
      // a lock that was not had in time says nothing about the pull request
      if ((Problem.is(error) && error.code !== 'unavailable') || isCorruptObject(error))
        await database
          .query(PullRow)
          .findById(pull.issueId)
          .where('is_merged', false)
          .patch({ merge_state: 'broken', conflicts: [] });
      else await jobs.enqueue(followPull, work, { group: String(work.repositoryId) });
    });
  }
}

/** The reference that keeps a head has moved, and the row with it but for a kill between the two. */
async function followHeadRef(moved: RefsUpdated, { gitReader, reader, syncer }: FollowDeps): Promise<void> {
  const fact = headFact.of(moved);
  const pull = fact && (await reader.fresh(fact.issueId));
  if (!fact || !pull) return;
  const ref = headRef(pull.index);
  const update = moved.updates.find((one) => one.ref === ref);
  // it may have moved on since
  if (!update || (await gitReader.open(moved.repositoryId).ref(ref))?.oid !== update.new) return;
  await syncer.head(fact.issueId, { oid: update.new, pusherId: fact.pusherId, at: fact.at });
}

async function close(pull: PullRequest, { pusherId }: Pick<PullMove, 'pusherId'>, deps: FollowDeps) {
  const { accounts, issues, repositories } = deps;
  const [issue, repository] = await Promise.all([issues.byId(pull.issueId), repositories.byId(pull.repositoryId)]);
  if (!issue || !repository || issue.isClosed) return;
  const account = (await accounts.byId(pusherId)) ?? (await accounts.byId(repository.ownerId));
  if (!account) return;
  try {
    await issues.edit(repository, issue, closedAsConsequence, accounts.actorOf(account, ''));
  } catch (error) {
    if (!Problem.is(error)) throw error;
  }
}

/**
 * The base branch is gone: what was stacked on a merged pull request goes where that went, everything else to the default
 * branch. What cannot stays open, and is not merged until the branch is back or it has another base.
 */
async function leaveBase(pull: PullRequest, moved: PullMove, deps: FollowDeps): Promise<void> {
  const { database, gitReader, issues, repositories, editor, followsMerged, syncer } = deps;
  const branch = pull.baseBranch;
  if (await gitReader.open(moved.repositoryId).branch(branch)) return;
  const merged = await database
    .query(PullRow)
    .where({ head_repository_id: moved.repositoryId, repository_id: moved.repositoryId, head_branch: branch })
    .where({ is_merged: true, flow: 'branch' })
    .orderBy('merged_at', 'desc')
    .first();
  const [issue, repository] = await Promise.all([issues.byId(pull.issueId), repositories.byId(moved.repositoryId)]);
  if (!issue || !repository) return;
  const targets = [...(merged && followsMerged ? [merged.base_branch] : []), repository.defaultBranch];
  for (const target of targets)
    try {
      return await editor.retarget(issue, pull, target, { id: moved.pusherId });
    } catch (error) {
      if (!Problem.is(error)) throw error;
    }
  await syncer.check(pull.issueId);
}

/** Where the repository wants it: whose head has come to the base branch by a push is merged. */
async function detectMerged(pull: PullRequest, update: RefUpdate, moved: PullMove, deps: FollowDeps): Promise<void> {
  const { gitReader, repositories, mergeRecorder } = deps;
  if (isZeroOid(update.old) || moved.pusherId <= 0) return;
  const repository = await repositories.byId(moved.repositoryId);
  if (!repository || unitOption(repository, 'autodetect_manual_merge') !== true) return;
  const git = gitReader.open(repository.id);
  if (await git.isAncestor(pull.headOid, update.old)) return;
  if (!(await git.isAncestor(pull.headOid, update.new))) return;
  const by = { mergerId: moved.pusherId, headOid: pull.headOid };
  await mergeRecorder.record(
    { ...by, issueId: pull.issueId, style: 'manually-merged', deletesBranch: false },
    update.new,
    moved.at,
  );
}

/** In the transaction of a change of the issue: the row of the pull request says the same. */
export async function followIssue(
  { issueId, repositoryId, index, isPull, action, title }: IssueEvent,
  { database, jobs, drafts }: { readonly database: Database; readonly jobs: Jobs; readonly drafts: DraftTitles },
): Promise<void> {
  // its references go when it is gone
  if (isPull && action === 'deleted') await jobs.enqueue(forgetPull, { repositoryId, index, issueId });
  if (!isPull || !['edited', 'closed', 'reopened'].includes(action)) return;
  const row = await database.query(PullRow).findById(issueId);
  if (!row) return;
  const pull = toPull(row);
  const patch: Partial<PullRow> =
    action === 'edited'
      ? { is_draft: drafts.isDraft(title) }
      : action === 'closed'
        ? { is_open: false, open_key: null }
        : { is_open: true, open_key: openKeyOf(pull), merge_state: 'checking' };
  await refuseDuplicate(Conflict(t.later('error.exists')), async () =>
    database.query(PullRow).findById(issueId).patch(patch),
  );
  if (action === 'closed') await database.query(AutoMergeRow).deleteById(issueId);
  if (action === 'reopened')
    await jobs.enqueue(
      checkBranch,
      { repositoryId: pull.repositoryId, branch: pull.baseBranch },
      { uniqueKey: `pulls.checkBranch:${pull.repositoryId}:${pull.baseBranch}` },
    );
}

/**
 * A repository goes, and with it the branches of pull requests into others: those are closed. What they brought stays with
 * the repositories that they were made for.
 */
export async function leaveForks(
  { repositoryId }: { readonly repositoryId: number },
  { database, accounts, repositories, issues }: Pick<FollowDeps, 'database' | 'accounts' | 'repositories' | 'issues'>,
): Promise<void> {
  const rows = await database
    .query(PullRow)
    .where({ head_repository_id: repositoryId, is_open: true })
    .whereNot('repository_id', repositoryId);
  for (const row of rows) {
    const [issue, repository] = await Promise.all([issues.byId(row.issue_id), repositories.byId(row.repository_id)]);
    const account = issue && ((await accounts.byId(issue.posterId)) ?? (await accounts.byId(repository?.ownerId ?? 0)));
    if (!issue || !repository || !account || issue.isClosed) continue;
    await issues.edit(repository, issue, closedAsConsequence, accounts.actorOf(account, ''));
  }
}

/**
 * A branch has a new name: pull requests from it and into it go on. In the transaction, before it is looked for. Conflict
 * where one waits for a branch of the new name to come back, which would be between the same branches then.
 */
export async function followRename(
  { repositoryId, from, to }: { readonly repositoryId: number; readonly from: string; readonly to: string },
  { database }: Pick<FollowDeps, 'database'>,
): Promise<void> {
  const rows = await database.query(PullRow).where((either) => {
    void either.where({ repository_id: repositoryId, base_branch: from });
    void either.orWhere({ head_repository_id: repositoryId, head_branch: from, flow: 'branch' });
  });
  for (const row of rows) {
    const isHead = row.head_repository_id === repositoryId && row.head_branch === from && row.flow === 'branch';
    const isBase = row.repository_id === repositoryId && row.base_branch === from;
    const names = { ...(isBase && { base_branch: to }), ...(isHead && { head_branch: to }) };
    const key = openKeyOf({ ...toPull(row), ...(isBase && { baseBranch: to }), ...(isHead && { headBranch: to }) });
    await refuseDuplicate(Conflict(t.later('error.exists')), async () =>
      database
        .query(PullRow)
        .findById(row.issue_id)
        .patch({ ...names, ...(row.is_open && { open_key: key }) }),
    );
  }
}
