import {
  Conflict,
  Forbidden,
  NotFound,
  Problem,
  refuseDuplicate,
  type Actor,
  type Database,
  type Jobs,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Issues, Timeline } from '@mortise/issues/api';
import { accessRank, mustBeActive, type Repositories, type RepositoryAccess } from '@mortise/repositories/api';
import type { MergeOptions, PullContext, Pulls } from '../api.js';
import { autoMerge, autoMergeAll } from '../jobs/check.js';
import { AutoMergeRow } from '../models/auto-merge.js';
import { NotAllowed, allowsStyle } from './pull-merger.js';
import type { MergeabilityChecker } from './mergeability.js';
import type { PullReader } from './pull-reader.js';
import { t } from '../texts/index.js';

/** Scheduled merges for which one transaction stores jobs. */
const mergesPerTransaction = 100;

/** Merges pull requests when nothing is in the way any more, on behalf of whoever asked for it. */
export class AutoMerger {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly jobs: Jobs;
      readonly accounts: Accounts;
      readonly issues: Issues;
      readonly timeline: Timeline;
      readonly repositories: Repositories;
      readonly repositoryAccess: RepositoryAccess;
      readonly reader: PullReader;
      readonly mergeability: MergeabilityChecker;
      readonly merge: Pulls['merge'];
    },
  ) {}

  async of(issueId: number): Promise<AutoMergeRow | undefined> {
    return this.deps.database.query(AutoMergeRow).findById(issueId);
  }

  /** Conflict where it is scheduled already; what no check will mend is refused at once (405 in the REST surface). */
  async schedule(context: PullContext, options: MergeOptions, actor: Actor): Promise<void> {
    const { database, mergeability, timeline } = this.deps;
    const { issue, repository } = context;
    // the rights of a job end with it
    if (actor.kind !== 'user') throw Forbidden(t.later('error.scheduleAccount'));
    mustBeActive(context);
    const blockers = await mergeability.blockers(context, actor);
    const hard = blockers.find((one) => !one.isRequirement);
    if (options.headOid && options.headOid !== context.pull.headOid) throw Conflict(t.later('error.headMoved'));
    if (hard?.code === 'closed') throw NotFound(t.later('obstacle.closed'));
    if (hard) throw NotAllowed(hard.message);
    const queued = blockers.find((one) => one.requiresQueue && !one.canQueueLater);
    if (queued) throw NotAllowed(queued.message);
    if (!allowsStyle(repository, options.style)) throw NotAllowed(t.later('error.style', { style: options.style }));
    await refuseDuplicate(Conflict(t.later('error.scheduled')), () =>
      database.write(async () => {
        await database.query(AutoMergeRow).insert({
          issue_id: issue.id,
          user_id: actor.id,
          head_oid: context.pull.headOid,
          style: options.style,
          title: options.title ?? '',
          message: options.message ?? '',
          delete_branch: options.deleteBranch ?? null,
          created_at: Date.now(),
        });
        await timeline.record({ issue, kind: 'pull_scheduled_merge', actorId: actor.id });
        await this.#enqueue(issue.id);
      }),
    );
  }

  /** By whoever asked for it, and by those who may merge. */
  async cancel(context: PullContext, actor: Actor): Promise<void> {
    const { database, mergeability, timeline } = this.deps;
    const { issue } = context;
    const row = await this.of(issue.id);
    if (!row) throw NotFound('scheduled merge');
    if (row.user_id !== actor.id && !(await mergeability.rights(context, actor)).mayMerge)
      throw Forbidden(t.later('obstacle.permission'));
    await database.write(async () => {
      if (!(await database.query(AutoMergeRow).deleteById(issue.id))) throw NotFound('scheduled merge');
      await timeline.record({ issue, kind: 'pull_cancel_scheduled_merge', actorId: actor.id });
    });
  }

  /**
   * In the transaction in which the head moved: commits of those who may write to the base are merged as the others would
   * have been, those of others are looked at first.
   */
  async headMoved(issueId: number, oid: string, pusherId: number): Promise<void> {
    const { database, issues, timeline } = this.deps;
    const row = await database.query(AutoMergeRow).findById(issueId);
    if (!row) return;
    const pusher = await this.deps.accounts.byId(pusherId);
    const context = pusher && (await this.context(issueId, this.deps.accounts.actorOf(pusher, '')));
    if (context?.context.may('write', 'code')) {
      await database.query(AutoMergeRow).findById(issueId).patch({ head_oid: oid });
      return this.#enqueue(issueId).then(() => undefined);
    }
    const issue = await issues.byId(issueId);
    await database.query(AutoMergeRow).deleteById(issueId);
    if (issue) await timeline.record({ issue, kind: 'pull_cancel_scheduled_merge', actorId: pusherId });
  }

  /** In the transaction of something that may have cleared the way. */
  async retry(issueIds: readonly number[]): Promise<void> {
    if (!issueIds.length) return;
    const rows = await this.deps.database
      .query(AutoMergeRow)
      .select('issue_id')
      .whereIn('issue_id', [...issueIds]);
    for (const { issue_id: id } of rows) await this.#enqueue(id);
  }

  /** The same for a commit: those whose head it is. */
  async retryHead(repositoryId: number, oid: string): Promise<void> {
    const rows = await this.#scheduledIn(repositoryId).where({
      'pull_request.head_oid': oid,
      'pull_request.is_open': true,
    });
    for (const { issue_id: id } of rows) await this.#enqueue(id);
  }

  /** The same for what all of a repository need: there may be many, so a job goes through them. */
  async retryIn(repositoryId: number): Promise<void> {
    if (!(await this.#scheduledIn(repositoryId).first())) return;
    await this.deps.jobs.enqueue(
      autoMergeAll,
      { repositoryId },
      { uniqueKey: `pulls.autoMergeAll:${repositoryId}`, group: String(repositoryId) },
    );
  }

  /** What that job does, some of them in each transaction. */
  async retryAll(repositoryId: number, signal: AbortSignal): Promise<void> {
    const { database } = this.deps;
    for (let last: number | undefined = 0; last !== undefined && !signal.aborted;) {
      const after: number = last;
      last = await database.write(async () => {
        const rows = await this.#scheduledIn(repositoryId)
          .where('auto_merge.issue_id', '>', after)
          .orderBy('auto_merge.issue_id')
          .limit(mergesPerTransaction);
        for (const { issue_id: id } of rows) await this.#enqueue(id);
        return rows[mergesPerTransaction - 1]?.issue_id;
      });
    }
  }

  #scheduledIn(repositoryId: number) {
    return this.deps.database
      .query(AutoMergeRow)
      .select('auto_merge.issue_id')
      .join('pull_request', 'pull_request.issue_id', 'auto_merge.issue_id')
      .where('pull_request.repository_id', repositoryId);
  }

  /** Merges it, if nothing is in the way. */
  async run(issueId: number): Promise<void> {
    const { database, accounts, mergeability, issues, merge, timeline } = this.deps;
    const row = await this.of(issueId);
    const account = row && (await accounts.byId(row.user_id));
    if (!row) return;
    const actor = account && accounts.actorOf(account, '');
    const context = actor && !accounts.refusal(account) && (await this.context(issueId, actor));
    let isGivenUp = false;
    try {
      if (!context) throw NotFound('pull request');
      const options: MergeOptions = {
        style: row.style,
        headOid: row.head_oid,
        ...(row.title && { title: row.title }),
        ...(row.message && { message: row.message }),
        ...(row.delete_branch !== null && { deleteBranch: row.delete_branch }),
      };
      const queue = await mergeability.queueFor(context, actor);
      if (queue === 'waits') return;
      if (queue) await queue.add(context, options, actor);
      else await merge(context, options, actor);
    } catch (error) {
      if (!Problem.is(error)) throw error;
      // what lacks something waits for it
      if (['method_not_allowed', 'conflict', 'locked'].includes(error.code)) return;
      // the job tries again
      if (error.code !== 'not_found' && error.code !== 'forbidden') throw error;
      isGivenUp = true;
    }
    await database.write(async () => {
      // not another that was asked for meanwhile
      const mine = { issue_id: issueId, user_id: row.user_id, created_at: row.created_at };
      const gone = await database.query(AutoMergeRow).delete().where(mine);
      const issue = gone && isGivenUp ? await issues.byId(issueId) : undefined;
      if (issue) await timeline.record({ issue, kind: 'pull_cancel_scheduled_merge', actorId: row.user_id });
    });
  }

  /** The pull request as it is, with the actor's rights. */
  async context(issueId: number, actor: Actor): Promise<PullContext | undefined> {
    const { issues, reader, repositories, repositoryAccess } = this.deps;
    const [issue, pull] = [await issues.byId(issueId), await reader.fresh(issueId)];
    const repository = issue && (await repositories.byId(issue.repositoryId));
    if (!issue || !pull || !repository) return undefined;
    const context = await repositoryAccess.context(actor, repository);
    const mode = context.modeOf('pulls');
    return { context, repository, issue, pull, mode, may: (needed) => accessRank[mode] >= accessRank[needed] };
  }

  #enqueue(issueId: number): Promise<string> {
    return this.deps.jobs.enqueue(autoMerge, { issueId }, { uniqueKey: `pulls.autoMerge:${issueId}` });
  }
}
