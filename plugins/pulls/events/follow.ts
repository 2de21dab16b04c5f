import { Conflict, Problem, isUniqueViolation, type Database, type Jobs, type Logger } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import { isDamage, isZeroOid, type GitReader, type RefsUpdated, type RefUpdate } from '@mortise/git/api';
import type { IssueEvent, Issues } from '@mortise/issues/api';
import type { Repositories } from '@mortise/repositories/api';
import type { PullRequest } from '../api.js';
import { checkBranch } from '../jobs/check.js';
import { AutoMergeRow } from '../models/auto-merge.js';
import { PullRow, openKeyOf, toPull } from '../models/pull.js';
import type { DraftTitles } from '../services/drafts.js';
import { mergedFact, unitOption } from '../services/merge.js';
import type { PullEditor } from '../services/edit.js';
import type { PullReader } from '../services/reader.js';
import type { MergeSettler } from '../services/settle.js';
import type { PullSyncer } from '../services/sync.js';
import { t } from '../texts/index.js';

const heads = 'refs/heads/';
const branchesIn = ({ updates }: RefsUpdated) => updates.filter(({ ref }) => ref.startsWith(heads)).slice(0, 100);
const nameOf = ({ ref }: RefUpdate) => ref.slice(heads.length);

/** Not by a decision: nothing keeps it open. */
const closed = { isClosed: true, closing: { isConsequence: true } } as const;

export interface FollowParts {
  readonly database: Database;
  readonly jobs: Jobs;
  readonly log: Pick<Logger, 'warn'>;
  readonly accounts: Accounts;
  readonly gitReader: GitReader;
  readonly repositories: Repositories;
  readonly issues: Issues;
  readonly reader: PullReader;
  readonly syncer: PullSyncer;
  readonly settler: MergeSettler;
  readonly editor: PullEditor;
  readonly followsMerged: boolean;
}

/** In the transaction of the references: a merge is written down, and what goes into a moved branch is to be looked at. */
export async function settleMoves(
  moved: RefsUpdated,
  { database, jobs, settler }: Pick<FollowParts, 'database' | 'jobs' | 'settler'>,
): Promise<void> {
  if (moved.kind !== 'code') return;
  const fact = mergedFact.of(moved);
  if (fact && moved.updates.length === 1) await settler.settle(fact, moved.updates[0]!.new, moved.at);
  for (const update of branchesIn(moved)) {
    const where = { repository_id: moved.repositoryId, base_branch: nameOf(update), is_open: true };
    const any = await database.query(PullRow).select('issue_id').where(where).first();
    if (!any) continue;
    await database.query(PullRow).where(where).whereNot('merge_state', 'checking').patch({ merge_state: 'checking' });
    if (!isZeroOid(update.new))
      await jobs.enqueue(
        checkBranch,
        { repositoryId: moved.repositoryId, branch: nameOf(update) },
        { uniqueKey: `pulls.checkBranch:${moved.repositoryId}:${nameOf(update)}`, group: String(moved.repositoryId) },
      );
  }
}

/** After it: heads move on, what lost a branch is closed, what was merged elsewhere is taken as merged. */
export async function followMoves(moved: RefsUpdated, parts: FollowParts): Promise<void> {
  if (moved.kind !== 'code') return;
  for (const update of branchesIn(moved)) {
    const from = await parts.reader.openFrom(moved.repositoryId, nameOf(update));
    for (const pull of from)
      await alone(pull, parts, () =>
        isZeroOid(update.new) ? close(pull, moved, parts) : followHead(pull, moved, parts),
      );
    if (isZeroOid(update.new)) await leaveBase(nameOf(update), moved, parts);
    else await detectMerged(update, moved, parts);
  }
}

/** One that cannot be read, or is too large, keeps nobody else waiting; whoever looks at it is told. */
async function alone(pull: PullRequest, { database, log }: FollowParts, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!Problem.is(error) && !isDamage(error)) throw error;
    log.warn('a pull request cannot be followed', { issueId: pull.issueId, error: String(error).slice(0, 500) });
    await database.write(async () => {
      await database
        .query(PullRow)
        .findById(pull.issueId)
        .where('is_merged', false)
        .patch({ merge_state: 'broken', conflicts: [] });
    });
  }
}

/** What the branch is by now counts, and not what it was when the event was written. */
async function followHead(pull: PullRequest, { pusherId, at }: RefsUpdated, { syncer }: FollowParts): Promise<void> {
  const oid = await syncer.tip(pull);
  if (oid) await syncer.head(pull.issueId, { oid, pusherId, at });
}

async function close(pull: PullRequest, { pusherId }: Pick<RefsUpdated, 'pusherId'>, parts: FollowParts) {
  const { accounts, issues, repositories, syncer } = parts;
  if (await syncer.tip(pull)) return;
  const [issue, repository] = await Promise.all([issues.byId(pull.issueId), repositories.byId(pull.repositoryId)]);
  if (!issue || !repository || issue.isClosed) return;
  const account = (await accounts.byId(pusherId)) ?? (await accounts.byId(repository.ownerId));
  if (!account) return;
  try {
    await issues.edit(repository, issue, closed, accounts.actorOf(account, ''));
  } catch (error) {
    if (!Problem.is(error)) throw error;
  }
}

/** The base branch is gone: what was stacked on a merged pull request goes where that went, everything else is closed. */
async function leaveBase(branch: string, moved: RefsUpdated, parts: FollowParts): Promise<void> {
  const { database, gitReader, issues, reader, editor, followsMerged } = parts;
  if (await gitReader.open(moved.repositoryId).branch(branch)) return;
  const merged = await database
    .query(PullRow)
    .where({ head_repository_id: moved.repositoryId, repository_id: moved.repositoryId, head_branch: branch })
    .where({ is_merged: true, flow: 'branch' })
    .orderBy('merged_at', 'desc')
    .first();
  for (const pull of await reader.openInto(moved.repositoryId, branch)) {
    const issue = await issues.byId(pull.issueId);
    if (!issue) continue;
    try {
      if (!merged || !followsMerged) throw new Problem('not_found', 'branch');
      await editor.retarget(issue, pull, merged.base_branch, { id: moved.pusherId });
    } catch (error) {
      if (!Problem.is(error)) throw error;
      await closeBaseless(pull, moved, parts);
    }
  }
}

async function closeBaseless(pull: PullRequest, { pusherId }: RefsUpdated, parts: FollowParts): Promise<void> {
  const { accounts, issues, repositories } = parts;
  const [issue, repository] = await Promise.all([issues.byId(pull.issueId), repositories.byId(pull.repositoryId)]);
  const account = (await accounts.byId(pusherId)) ?? (repository && (await accounts.byId(repository.ownerId)));
  if (!issue || !repository || !account || issue.isClosed) return;
  await issues.edit(repository, issue, closed, accounts.actorOf(account, ''));
}

/** Where the repository wants it: whose head has come to the base branch by a push is merged. */
async function detectMerged(update: RefUpdate, moved: RefsUpdated, parts: FollowParts): Promise<void> {
  const { gitReader, reader, repositories, settler } = parts;
  if (mergedFact.of(moved) || isZeroOid(update.old) || moved.pusherId <= 0) return;
  const repository = await repositories.byId(moved.repositoryId);
  if (!repository || unitOption(repository, 'autodetect_manual_merge') !== true) return;
  const git = gitReader.open(repository.id);
  for (const pull of await reader.openInto(repository.id, nameOf(update))) {
    if (await git.isAncestor(pull.headOid, update.old)) continue;
    if (!(await git.isAncestor(pull.headOid, update.new))) continue;
    await settler.settle(
      {
        issueId: pull.issueId,
        style: 'manually-merged',
        headOid: pull.headOid,
        mergerId: moved.pusherId,
        deletesBranch: false,
      },
      update.new,
      moved.at,
    );
  }
}

/** In the transaction of a change of the issue: the row of the pull request says the same. */
export async function followIssue(
  { issueId, isPull, action, title }: IssueEvent,
  { database, jobs, drafts }: { readonly database: Database; readonly jobs: Jobs; readonly drafts: DraftTitles },
): Promise<void> {
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
  try {
    await database.query(PullRow).findById(issueId).patch(patch);
  } catch (error) {
    if (isUniqueViolation(error)) throw Conflict(t.later('error.exists'));
    throw error;
  }
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
  { database, accounts, repositories, issues }: Pick<FollowParts, 'database' | 'accounts' | 'repositories' | 'issues'>,
): Promise<void> {
  const rows = await database
    .query(PullRow)
    .where({ head_repository_id: repositoryId, is_open: true })
    .whereNot('repository_id', repositoryId);
  for (const row of rows) {
    const [issue, repository] = await Promise.all([issues.byId(row.issue_id), repositories.byId(row.repository_id)]);
    const account = issue && ((await accounts.byId(issue.posterId)) ?? (await accounts.byId(repository?.ownerId ?? 0)));
    if (!issue || !repository || !account || issue.isClosed) continue;
    await issues.edit(repository, issue, closed, accounts.actorOf(account, ''));
  }
}

/** A branch has a new name: pull requests from it and into it go on. In the transaction, before it is looked for. */
export async function followRename(
  { repositoryId, from, to }: { readonly repositoryId: number; readonly from: string; readonly to: string },
  { database }: Pick<FollowParts, 'database'>,
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
    await database
      .query(PullRow)
      .findById(row.issue_id)
      .patch({ ...names, ...(row.is_open && { open_key: key }) });
  }
}
