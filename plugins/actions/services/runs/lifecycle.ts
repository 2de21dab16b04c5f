import { BadRequest, Conflict, Forbidden, NotFound } from '@mortise/plugin-sdk';
import { runsDeleted } from '../../contract/events.js';
import { isFinal } from '../../contract/states.js';
import { ScopedSkipRow } from '../../models/scoped-skip.js';
import { RunRow } from '../../models/run.js';
import { TaskRow } from '../../models/task.js';
import { alreadyCompleted } from './cancellation.js';
import { lockRun } from './run-rows.js';
import { RunReconciler, type ReconcilerDeps } from './run-reconciler.js';
import { t } from '../../texts/index.js';

/** What people do with runs that are there. Each is one transaction; of two at once the second finds what the first left. */
export class Lifecycle {
  constructor(private readonly deps: ReconcilerDeps) {}

  /** Conflict (409) when it has ended. `force`: without waiting for runners, and jobs that always run too. */
  async cancel(runId: number, { force }: { readonly force: boolean }): Promise<RunRow> {
    return this.deps.database.write(async () => {
      const reconciler = new RunReconciler(this.deps);
      const state = await reconciler.state(runId);
      if (!state) throw NotFound('run');
      if (isFinal(state.run.status)) throw alreadyCompleted();
      const hasBegun = Number(state.run.started_at) > 0;
      await this.deps.cancellation.cancelJobs(state, state.jobs, { force, spares: hasBegun && !force });
      if (state.attempt.is_held) await reconciler.releaseFromGroup(state);
      await reconciler.add(runId, [...state.changedJobs]);
      await reconciler.run();
      return state.run;
    });
  }

  /** Runs of the repository that still go on and were started by these schedules or events. */
  async cancelAll(runIds: readonly number[]): Promise<void> {
    for (const id of runIds)
      await this.cancel(id, { force: false }).catch((error: unknown) => {
        // it ended by itself meanwhile
        if (!(error instanceof Error) || error.name !== 'Problem') throw error;
      });
  }

  /** Forbidden (403) where the account's approval of the pull request would not count ({@link Pulls.qualifiedApprovers}). */
  async checkApprover(
    run: Pick<RunRow, 'repository_id' | 'pull_index' | 'need_approval'>,
    userId: number,
  ): Promise<void> {
    if (!run.need_approval || !run.pull_index) return;
    const { issues, pulls, repositories } = this.deps;
    const [repository, issue] = await Promise.all([
      repositories.byId(run.repository_id),
      issues.byIndex(run.repository_id, run.pull_index),
    ]);
    const pull = issue && (await pulls.byIssueId(issue.id));
    if (!repository || !pull) return;
    const qualified = await pulls.qualifiedApprovers({ repository, issue, pull }, [userId], 'actions');
    if (!qualified.has(userId)) throw Forbidden(t.later('error.approver'));
  }

  /** Conflict (409) when it never waited for approval; nothing happens when somebody approved it before. */
  async approve(runId: number, userId: number): Promise<RunRow> {
    const { database } = this.deps;
    const before = await database.query(RunRow).findById(runId);
    if (before) await this.checkApprover(before, userId);
    return database.write(async () => {
      const reconciler = new RunReconciler(this.deps);
      const state = await reconciler.state(runId);
      if (!state) throw NotFound('run');
      const { run } = state;
      if (!run.need_approval) {
        if (run.approved_by !== 0) return run;
        throw Conflict('run does not require approval');
      }
      const change = { need_approval: false, approved_by: userId, updated_at: Date.now() };
      Object.assign(run, change);
      await database.query(RunRow).findById(runId).patch(change);
      await reconciler.joinGroup(state);
      await reconciler.add(runId);
      await reconciler.run();
      return run;
    });
  }

  /** With everything that belongs to it. Bad request (400) while it goes on. */
  async delete(runId: number): Promise<void> {
    const { database, events } = this.deps;
    await database.write(async () => {
      const run = await lockRun(database, runId);
      if (!run) throw NotFound('run');
      if (!isFinal(run.status)) throw BadRequest('this workflow run is not done');
      const tasks = await database.query(TaskRow).where('run_id', runId).select('id');
      await events.emit(runsDeleted, {
        repositoryId: run.repository_id,
        runIds: [runId],
        taskIds: tasks.map(({ id }) => id),
      });
      // what a filter left out before it ran must not stand for it
      if (run.is_scoped_run)
        await database.query(ScopedSkipRow).delete().where({
          repository_id: run.repository_id,
          commit_sha: run.commit_sha,
          pull_index: run.pull_index,
          source_repo_id: run.workflow_repo_id,
          workflow_id: run.workflow_id,
        });
      await database.query(RunRow).deleteById(runId);
    });
  }
}
