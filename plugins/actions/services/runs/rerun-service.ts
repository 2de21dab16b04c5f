import { BadRequest, Conflict, NotFound } from '@mortise/plugin-sdk';
import { firstAttemptRecorded } from '../../contract/events.js';
import { isFinal, statusNumbers, type StatusNumber } from '../../contract/states.js';
import { JobPayloadRow } from '../../models/job-payload.js';
import { JobRow } from '../../models/job.js';
import { AttemptRow } from '../../models/attempt.js';
import { RunRow } from '../../models/run.js';
import { TaskRow } from '../../models/task.js';
import type { RunCreator } from './run-creator.js';
import { lockRun, insertInBatches, jobsOf, latestAttempt } from './run-rows.js';
import { RunReconciler, type ReconcilerDeps } from './run-reconciler.js';

export type RerunSelection = { readonly what: 'all' | 'failed' } | { readonly what: 'job'; readonly jobId: number };

const { failure, cancelled, blocked } = statusNumbers;

/** Further attempts of runs that have ended. */
export class RerunService {
  constructor(
    private readonly deps: ReconcilerDeps,
    private readonly creator: RunCreator,
  ) {}

  /**
   * A new attempt with all jobs, of which those that are not selected keep their results. `requested`: the run as the user
   * asks saw it; Conflict (409) when somebody was faster. Bad request (400) when it goes on, cannot have another attempt,
   * or none of its jobs failed; NotFound for a job that is not of the newest attempt.
   */
  async rerun(
    requested: RunRow,
    which: RerunSelection,
    userId: number,
  ): Promise<{ run: RunRow; jobs: readonly JobRow[] }> {
    const { database, repositories } = this.deps;
    return database.write(async () => {
      const run = await lockRun(database, requested.id);
      const repository = run && (await repositories.byId(run.repository_id));
      if (!run || !repository) throw NotFound('run');
      if (run.latest_attempt_id !== requested.latest_attempt_id && requested.latest_attempt_id !== 0)
        throw Conflict('attempt already exists');
      if (!isFinal(run.status)) throw BadRequest('this workflow run is not done');
      const last = (await latestAttempt(database, run)) ?? (await this.#firstAttempt(run));
      const jobs = await jobsOf(database, run.id, last.id);
      const { again, above } = selected(jobs, which);
      const limit = this.deps.settings.MAX_RERUN_ATTEMPTS;
      if (last.number >= limit) throw BadRequest(`workflow run has reached the maximum of ${limit} attempts`);
      const now = Date.now();
      const attempt = await this.creator.insertAttempt(run, last.number + 1, userId, now);
      const made = await this.#copy(run, attempt, jobs, again, above, now);
      const change = { status: blocked as StatusNumber, started_at: 0, stopped_at: 0, updated_at: now };
      await database.query(RunRow).findById(run.id).patch(change);
      const reconciler = new RunReconciler(this.deps);
      const state = (await reconciler.state(run.id))!;
      state.isNew = true;
      await this.creator.enterGroup(reconciler, state, attempt, repository);
      await reconciler.add(run.id, made);
      await reconciler.run();
      return { run: state.run, jobs: state.jobs };
    });
  }

  /** ACT-17: what a run from before there were attempts has done becomes its first. */
  async #firstAttempt(run: RunRow): Promise<AttemptRow> {
    const { database, events } = this.deps;
    const first = await this.creator.insertAttempt(run, 1, run.trigger_user_id, Number(run.created_at));
    const times = { status: run.status, started_at: run.started_at, stopped_at: run.stopped_at };
    await database.query(AttemptRow).findById(first.id).patch(times);
    await database
      .query(JobRow)
      .where({ run_id: run.id, run_attempt_id: 0 })
      .patch({ run_attempt_id: first.id, attempt: 1 });
    await database
      .query(TaskRow)
      .where({ run_id: run.id, run_attempt_id: 0 })
      .patch({ run_attempt_id: first.id, attempt: 1 });
    await events.emit(firstAttemptRecorded, { repositoryId: run.repository_id, runId: run.id, attemptId: first.id });
    run.latest_attempt_id = first.id;
    return Object.assign(first, times);
  }

  /** Gives the ids of the jobs that run again. */
  async #copy(
    run: RunRow,
    attempt: AttemptRow,
    jobs: readonly JobRow[],
    again: ReadonlySet<number>,
    above: ReadonlySet<number>,
    now: number,
  ): Promise<number[]> {
    const { database } = this.deps;
    const dropped = new Set<number>();
    // children stand behind their callers
    for (const job of jobs) {
      const parent = job.parent_job_id;
      if (parent && (dropped.has(parent) || again.has(parent))) dropped.add(job.id);
    }
    const copied = jobs.filter(({ id }) => !dropped.has(id));
    const payloads = new Map(
      (await database.query(JobPayloadRow).findByIds(copied.map(({ id }) => id))).map((row) => [row.job_id, row]),
    );
    const newIds = new Map<number, number>();
    const made: number[] = [];
    for (const job of copied) {
      const isAgain = again.has(job.id);
      const isAbove = above.has(job.id);
      const row = await database.query(JobRow).insertAndFetch({
        ...copyOf(job, isAgain, isAbove),
        run_attempt_id: attempt.id,
        attempt: attempt.number,
        parent_job_id: newIds.get(job.parent_job_id) ?? 0,
        created_at: now,
        updated_at: now,
      });
      newIds.set(job.id, row.id);
      if (isAgain || isAbove) made.push(row.id);
      const payload = payloads.get(job.id);
      if (payload)
        await insertInBatches(database, 'action_job_payload', [
          {
            job_id: row.id,
            payload: payload.payload,
            step_names: payload.step_names && JSON.stringify(payload.step_names),
            ...(!isAgain && {
              callee: payload.callee,
              call_payload: payload.call_payload && JSON.stringify(callOf(payload.call_payload, isAbove)),
              call_secrets: payload.call_secrets && JSON.stringify(payload.call_secrets),
            }),
          },
        ]);
    }
    if (made.length === 0) throw BadRequest(`run ${run.number} has no job to run again`);
    return made;
  }
}

/** Jobs below it run again: what it gave is to be made anew. */
function callOf(call: NonNullable<JobPayloadRow['call_payload']>, isAbove: boolean): object {
  const { outputs: _outputs, ...rest } = call;
  return isAbove ? rest : call;
}

function copyOf(job: JobRow, isAgain: boolean, isAbove: boolean): Partial<JobRow> {
  const row: Partial<JobRow> = { ...(job.toJSON() as Partial<JobRow>) };
  delete row.id;
  if (isAgain)
    return {
      ...row,
      status: blocked,
      task_id: 0,
      source_task_id: 0,
      is_expanded: false,
      is_concurrency_evaluated: false,
      concurrency_group: '',
      concurrency_cancel: false,
      problem: '',
      started_at: 0,
      stopped_at: 0,
    };
  if (isAbove) return { ...row, status: blocked, problem: '', started_at: 0, stopped_at: 0 };
  return { ...row, task_id: 0, source_task_id: job.task_id || job.source_task_id, concurrency_group: '' };
}

/** Jobs that run again with all that follows from them, and the callers above them, whose sum changes. */
export function selected(
  jobs: readonly JobRow[],
  which: RerunSelection,
): { again: ReadonlySet<number>; above: ReadonlySet<number> } {
  const again = new Set<number>();
  const above = new Set<number>();
  if (which.what === 'all') for (const job of jobs) if (!job.parent_job_id) again.add(job.id);
  if (which.what === 'failed') {
    const failed = jobs.filter(
      ({ status, id }) =>
        (status === failure || status === cancelled) && !jobs.some(({ parent_job_id: parent }) => parent === id),
    );
    if (failed.length === 0) throw BadRequest('no failed jobs to re-run');
    for (const job of failed) again.add(job.id);
  }
  if (which.what === 'job') {
    if (!jobs.some(({ id }) => id === which.jobId)) throw NotFound('job');
    again.add(which.jobId);
  }
  const byId = new Map(jobs.map((job) => [job.id, job]));
  for (let changed = true; changed;) {
    changed = false;
    for (const id of [...again, ...above]) {
      const job = byId.get(id)!;
      const parent = job.parent_job_id;
      if (parent && !again.has(parent) && !above.has(parent)) {
        above.add(parent);
        changed = true;
      }
      for (const one of jobs)
        if (one.parent_job_id === parent && one.needs.includes(job.job_id) && !again.has(one.id)) {
          above.delete(one.id);
          again.add(one.id);
          changed = true;
        }
    }
  }
  return { again, above };
}
