import { createHash } from 'node:crypto';
import {
  Conflict,
  Forbidden,
  NotFound,
  Problem,
  defineJob,
  refuseDuplicate,
  type Actor,
  type Database,
  type Events,
  type Jobs,
} from '@mortise/plugin-sdk';
import type { ActivityEvents } from '@mortise/activity-events/api';
import type { BranchProtections, ProtectionRule } from '@mortise/branch-protection/api';
import type { CommitStatuses, StatusState } from '@mortise/commit-status/api';
import type { Issues, Timeline } from '@mortise/issues/api';
import type { MergeOptions, PullContext, Pulls } from '@mortise/pulls/api';
import { mustBeActive, type Repositories } from '@mortise/repositories/api';
import {
  mergeQueueChanged,
  queueContext,
  queueOption,
  type DequeueReason,
  type MergeQueue,
  type QueueEntry,
} from '../contract/merge-queue.js';
import { EntryRow, toEntry } from '../models/entry.js';
import type { QueueSettings } from '../settings.js';
import { t } from '../texts/index.js';

/** Goes through the queue of a branch. */
export const runQueue = defineJob<{ readonly repositoryId: number; readonly branch: string }>('merge-queue.run');

/** What the queue sees to by itself: the candidate is up to date, and its checks are those that count. */
export const blockersOfQueue: readonly string[] = ['merge-queue', 'checks', 'outdated'];

/** Short enough for names of locks and jobs, whatever the branch is called. */
export const queueKey = (repositoryId: number, branch: string): string =>
  `merge-queue:${repositoryId}:${createHash('sha256').update(branch).digest('hex').slice(0, 32)}`;

const statusTexts: Readonly<Record<DequeueReason, { readonly state: StatusState; readonly text: string }>> = {
  merged: { state: 'success', text: 'Merged' },
  removed: { state: 'skipped', text: 'Removed from the merge queue' },
  checks: { state: 'failure', text: 'Removed: required checks failed' },
  timeout: { state: 'failure', text: 'Removed: required checks took too long' },
  conflicts: { state: 'failure', text: 'Removed: conflicts with what is merged before it' },
  moved: { state: 'skipped', text: 'Removed: new commits, or another base branch' },
  refused: { state: 'failure', text: 'Removed: merging it was refused' },
  closed: { state: 'skipped', text: 'Removed: closed' },
};

interface QueueDeps {
  readonly database: Database;
  readonly events: Events;
  readonly jobs: Jobs;
  readonly activityEvents: ActivityEvents;
  readonly issues: Issues;
  readonly timeline: Timeline;
  readonly pulls: Pulls;
  readonly repositories: Repositories;
  readonly protections: BranchProtections;
  readonly statuses: CommitStatuses;
  readonly settings: QueueSettings;
}

/** Pull requests that wait, and their ways in and out. */
export class QueueService implements MergeQueue {
  constructor(private readonly deps: QueueDeps) {}

  /** The rule of the branch, where it asks for a queue. */
  async ruleFor(repositoryId: number, branch: string): Promise<ProtectionRule | undefined> {
    const rule = await this.deps.protections.ruleFor(repositoryId, branch);
    return rule?.options[queueOption.required] === true ? rule : undefined;
  }

  async rows(repositoryId: number, branch: string): Promise<EntryRow[]> {
    return this.deps.database
      .query(EntryRow)
      .where({ repository_id: repositoryId, base_branch: branch })
      .orderBy('id')
      .limit(this.deps.settings.MAX_ENTRIES);
  }

  async list(repositoryId: number, branch: string): Promise<QueueEntry[]> {
    return (await this.rows(repositoryId, branch)).map(toEntry);
  }

  async of(issueId: number): Promise<QueueEntry | undefined> {
    const row = await this.deps.database.query(EntryRow).findOne('issue_id', issueId);
    return row && toEntry(row);
  }

  /** How many wait before it. */
  async ahead(entry: QueueEntry): Promise<number> {
    return this.deps.database
      .query(EntryRow)
      .where({ repository_id: entry.repositoryId, base_branch: entry.baseBranch })
      .where('id', '<', entry.id)
      .resultSize();
  }

  async mayMerge(context: PullContext, actor: Actor): Promise<boolean> {
    return !(await this.deps.pulls.blockers(context, actor)).some(({ code }) => code === 'permission');
  }

  /** As for a merge: 405 when something is in the way that the queue does not see to, Conflict where it waits already. */
  async add(context: PullContext, options: MergeOptions, actor: Actor): Promise<QueueEntry> {
    const { database, pulls, settings } = this.deps;
    const { issue, pull, repository } = context;
    mustBeActive(context);
    const obstacles = await pulls.blockers(context, actor);
    const left = obstacles.find(({ code }) => !blockersOfQueue.includes(code));
    if (left?.code === 'closed') throw NotFound(left.message);
    if (left) throw NotAllowed(left.message);
    if (!(await this.ruleFor(repository.id, pull.baseBranch))) throw NotAllowed(t.later('error.noQueue'));
    if (options.style === 'manually-merged') throw NotAllowed(t.later('error.manual'));
    if (options.headOid && options.headOid !== pull.headOid) throw Conflict(t.later('error.headMoved'));
    return refuseDuplicate(Conflict(t.later('error.queued')), () =>
      database.write(async () => {
        const where = { repository_id: repository.id, base_branch: pull.baseBranch };
        if ((await database.query(EntryRow).where(where).resultSize()) >= settings.MAX_ENTRIES)
          throw NotAllowed(t.later('error.full', { limit: settings.MAX_ENTRIES }));
        const row = await database.query(EntryRow).insertAndFetch({
          ...where,
          issue_id: issue.id,
          user_id: actor.id,
          head_oid: pull.headOid,
          style: options.style,
          title: options.title ?? '',
          message: options.message ?? '',
          delete_branch: options.deleteBranch ?? null,
          candidate_ref: '',
          candidate_oid: '',
          candidate_onto: '',
          tested_at: 0,
          created_at: Date.now(),
        });
        await this.deps.timeline.record({ issue, kind: 'merge_queue_add', actorId: actor.id });
        await this.postStatus(row, 'pending', 'Waiting in the merge queue');
        await this.#record(row, 'enqueued', actor.id);
        await this.enqueue(repository.id, pull.baseBranch);
        return toEntry(row);
      }),
    );
  }

  /** Allowed to the user who added it, and to users who may merge. */
  async remove(context: PullContext, actor: Actor): Promise<void> {
    const entry = await this.of(context.issue.id);
    if (!entry) throw NotFound(t.later('error.notQueued'));
    if (entry.userId !== actor.id && !(await this.mayMerge(context, actor))) throw Forbidden(t.later('error.mayNot'));
    await this.leave(entry, 'removed', actor.id);
  }

  /** It waits no more; joins the caller's transaction. Nothing happens when it does not. */
  async leave({ id }: Pick<QueueEntry, 'id'>, reason: DequeueReason, actorId: number): Promise<void> {
    const { database, timeline, issues } = this.deps;
    await database.write(async () => {
      const row = await database.query(EntryRow).findById(id);
      if (!row || !(await database.query(EntryRow).deleteById(id))) return;
      const issue = await issues.byId(row.issue_id);
      if (issue && reason !== 'merged')
        await timeline.record({ issue, kind: 'merge_queue_remove', actorId, data: { reason } });
      await this.postStatus(row, statusTexts[reason].state, statusTexts[reason].text);
      await this.#record(row, 'dequeued', actorId, reason);
      await this.enqueue(row.repository_id, row.base_branch);
    });
  }

  /** Has the queue gone through, at once or later; inside a transaction with its commit. */
  async enqueue(repositoryId: number, branch: string, runAt?: number): Promise<void> {
    const key = queueKey(repositoryId, branch);
    await this.deps.jobs.enqueue(
      runQueue,
      { repositoryId, branch },
      { uniqueKey: runAt ? `${key}:later` : key, group: String(repositoryId), ...(runAt && { runAt }) },
    );
  }

  /** The status of the head. */
  async postStatus(row: EntryRow, state: StatusState, description: string): Promise<void> {
    const { statuses, repositories } = this.deps;
    const repository = await repositories.byId(row.repository_id);
    if (!repository) return;
    const branch = row.base_branch.split('/').map(encodeURIComponent).join('/');
    await statuses.create({
      repositoryId: row.repository_id,
      sha: row.head_oid,
      context: queueContext,
      state,
      description,
      targetUrl: `${repositories.htmlUrl(repository)}/queue/${branch}`,
      creatorId: row.user_id,
    });
  }

  async #record(row: EntryRow, action: 'enqueued' | 'dequeued', actorId: number, reason?: DequeueReason) {
    const { activityEvents, events, issues } = this.deps;
    const at = Date.now();
    await events.emit(mergeQueueChanged, {
      repositoryId: row.repository_id,
      branch: row.base_branch,
      issueId: row.issue_id,
      action,
      ...(reason && { reason }),
      actorId,
      at,
    });
    const issue = await issues.byId(row.issue_id);
    if (!issue) return;
    const { id, index, title, repositoryId } = issue;
    await activityEvents.record([
      {
        // as receivers know it from elsewhere
        kind: 'pull_request',
        action,
        resource: { id, index, title, repositoryId, unit: 'pulls' },
        actorId,
        at,
        data: reason ? { reason } : {},
      },
    ]);
  }
}

/** 405, as clients of the REST surface know it. */
const NotAllowed = (message: ConstructorParameters<typeof Problem>[1]) => new Problem('method_not_allowed', message);
