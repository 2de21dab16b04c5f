import type { Database } from '@mortise/plugin-sdk';
import type { JobStates } from '../../contract/runs.js';
import { isFinal, statusNumbers } from '../../contract/states.js';
import { JobRow } from '../../models/job.js';
import { RunnerRow } from '../../models/runner.js';
import { TaskRow } from '../../models/task.js';
import type { TaskClaims } from './task-claims.js';
import type { TaskReports } from './task-reports.js';

const { blocked, cancelled, cancelling, failure, running, waiting } = statusNumbers;
const batch = 100;
/** Milliseconds that a runner has to say that it ended a job that took too long; it reports every few seconds. */
const timeToReport = 30_000;
/** The same where the runner first lets steps with `always()` clean up. */
const timeToCleanUp = 6 * 60_000;

export interface SweepDeps {
  readonly database: Database;
  readonly jobStates: JobStates;
  readonly claims: TaskClaims;
  readonly reports: TaskReports;
  readonly settings: {
    readonly ZOMBIE_TASK_TIMEOUT: number;
    readonly UNDELIVERED_TASK_TIMEOUT: number;
    readonly ENDLESS_TASK_TIMEOUT: number;
    readonly ABANDONED_JOB_TIMEOUT: number;
  };
  seal(taskId: number): Promise<void>;
}

/** Ends stuck tasks and jobs. Each in its own transaction, so that an interrupted sweep keeps its progress. */
export class Sweeper {
  readonly #startedAt = Date.now();

  constructor(private readonly deps: SweepDeps) {}

  /** After a pause of the server, runners that have their task need a moment to report. */
  get #grace(): number {
    return 2 * this.deps.settings.UNDELIVERED_TASK_TIMEOUT;
  }

  /** Tasks without a sign of life of their runner. */
  async zombies(now = Date.now()): Promise<number> {
    await this.undelivered(now);
    const { ZOMBIE_TASK_TIMEOUT: silenceLimit } = this.deps.settings;
    const before = now - silenceLimit;
    if (now - this.#startedAt < Math.min(silenceLimit, this.#grace)) return 0;
    return this.#each(
      (after) => this.#tasks([running, cancelling], 'updated_at', before, after),
      (task) => this.#end(task.id, ({ updated_at: at }) => Number(at) < before),
    );
  }

  /** Tasks that take too long; not those that clean up after they were cancelled. */
  async endless(now = Date.now()): Promise<number> {
    const before = now - this.deps.settings.ENDLESS_TASK_TIMEOUT;
    return this.#each(
      (after) => this.#tasks([running], 'started_at', before, after),
      (task) => this.#end(task.id, ({ status, started_at: at }) => status === running && Number(at) < before),
    );
  }

  /**
   * Tasks that take longer than `timeout-minutes` of their job. Runners that keep to it end them first; those of the
   * field keep to that of steps alone.
   */
  async timedOut(now = Date.now()): Promise<number> {
    const knex = this.deps.database.knex();
    const limit = knex.raw('task.started_at + job.timeout_ms + case when runner.can_cancel then ? else ? end < ?', [
      timeToCleanUp,
      timeToReport,
      now,
    ]);
    return this.#each(
      async (after) =>
        (await knex('action_task as task')
          .join('action_job as job', 'job.id', 'task.job_id')
          .leftJoin('action_runner as runner', 'runner.id', 'task.runner_id')
          .where('task.status', running)
          .where('job.timeout_ms', '>', 0)
          .where('task.id', '>', after)
          .whereRaw(limit)
          .orderBy('task.id')
          .limit(batch)
          .select('task.id', 'job.timeout_ms')) as unknown as { id: number; timeout_ms: number }[],
      ({ id, timeout_ms: timeout }) =>
        this.#end(
          id,
          ({ status, started_at: at }) => status === running && Number(at) + Number(timeout) < now,
          `the job took longer than its timeout-minutes: ${Number(timeout) / 60_000}`,
        ),
    );
  }

  /** Jobs that no runner took. */
  async abandoned(now = Date.now()): Promise<number> {
    const { database, jobStates, settings } = this.deps;
    const before = now - settings.ABANDONED_JOB_TIMEOUT;
    return this.#each(
      (after) =>
        database
          .query(JobRow)
          .select('id', 'run_id')
          .whereIn('status', [waiting, blocked])
          .where('updated_at', '<', before)
          .where('id', '>', after)
          .orderBy('id')
          .limit(batch) as unknown as Promise<JobRow[]>,
      (job) =>
        database.write(async () => {
          if (!(await jobStates.lockRun(job.run_id))) return false;
          const changed = await database
            .query(JobRow)
            .findById(job.id)
            .whereIn('status', [waiting, blocked])
            .where('updated_at', '<', before)
            .patch({ status: cancelled, stopped_at: now, updated_at: now });
          if (changed > 0) await jobStates.jobChanged([job.id]);
          return changed > 0;
        }),
    );
  }

  /** Tasks of which their runner never spoke: the server was killed before it had the answer. */
  async undelivered(now = Date.now()): Promise<number> {
    const { database, claims, settings } = this.deps;
    if (now - this.#startedAt < this.#grace) return 0;
    const before = now - settings.UNDELIVERED_TASK_TIMEOUT;
    return this.#each(
      (after) =>
        database
          .query(TaskRow)
          .select('id')
          .where('status', running)
          .where('updated_at', '<', before)
          .whereColumn('updated_at', 'created_at')
          .where('id', '>', after)
          .orderBy('id')
          .limit(batch) as unknown as Promise<TaskRow[]>,
      async ({ id }) => {
        await claims.release(id, { isUntouched: true });
        return true;
      },
    );
  }

  /** Removes ephemeral runners whose task has ended. */
  async usedRunners(): Promise<number> {
    const { database } = this.deps;
    const rows = await database
      .query(RunnerRow)
      .select('id', 'used_by_task')
      .where('is_ephemeral', true)
      .whereNotNull('used_by_task')
      .limit(1000);
    const tasks = await database.query(TaskRow).findByIds(rows.map((row) => row.used_by_task!));
    const open = new Set(tasks.filter(({ status }) => !isFinal(status)).map(({ id }) => id));
    const ended = rows.filter((row) => !open.has(Number(row.used_by_task))).map(({ id }) => id);
    if (ended.length > 0)
      await database.write(async () => {
        await database.query(RunnerRow).delete().whereIn('id', ended);
      });
    return ended.length;
  }

  #tasks(
    statuses: readonly number[],
    column: 'updated_at' | 'started_at',
    before: number,
    after: number,
  ): Promise<TaskRow[]> {
    return this.deps.database
      .query(TaskRow)
      .select('id')
      .whereIn('status', [...statuses])
      .where(column, '<', before)
      .where('id', '>', after)
      .orderBy('id')
      .limit(batch) as unknown as Promise<TaskRow[]>;
  }

  #end(taskId: number, isStill: (task: TaskRow) => boolean, problem = ''): Promise<boolean> {
    const { database, jobStates, reports } = this.deps;
    return database.write(async () => {
      const taskRow = await database.query(TaskRow).findById(taskId);
      if (!taskRow || !(await jobStates.lockRun(taskRow.run_id))) return false;
      const task = await database.query(TaskRow).findById(taskId).forUpdate();
      if (!task || isFinal(task.status) || !isStill(task)) return false;
      await reports.end(task, task.status === cancelling ? cancelled : failure, Date.now(), problem);
      await this.deps.seal(taskId);
      return true;
    });
  }

  async #each<T extends { id: number }>(
    find: (after: number) => Promise<T[]>,
    work: (one: T) => Promise<boolean>,
  ): Promise<number> {
    let count = 0;
    for (let after = 0; ;) {
      const rows = await find(after);
      for (const one of rows) if (await work(one)) count++;
      if (rows.length < batch) return count;
      after = rows.at(-1)!.id;
    }
  }
}
