import { NotFound, type Database } from '@mortise/plugin-sdk';
import type { JobStates } from '../../contract/runs.js';
import { isFinal, statusNumbers, type StatusNumber } from '../../contract/states.js';
import type { ResultNumber, StepReport, TaskReport } from '../../contract/tasks.js';
import { JobRow } from '../../models/job.js';
import { RunnerRow } from '../../models/runner.js';
import { OutputRow } from '../../models/output.js';
import { StepRow } from '../../models/step.js';
import { TaskRow } from '../../models/task.js';

const { cancelled, cancelling, failure, running, waiting } = statusNumbers;
const maxKey = 255;
const maxValue = 1024 * 1024;
/** Names of outputs that one task may store. */
const maxOutputs = 1000;
/** Characters of all outputs of an attempt: those who need them get them all at once. */
const maxOfAttempt = 50 * 1024 * 1024;

/** Takes what runners report on their tasks. */
export class TaskReports {
  constructor(private readonly deps: { readonly database: Database; readonly jobStates: JobStates }) {}

  async taskOf(runnerId: number, taskId: number): Promise<TaskRow> {
    const task = Number.isSafeInteger(taskId)
      ? await this.deps.database.query(TaskRow).findOne({ id: taskId, runner_id: runnerId })
      : undefined;
    if (!task) throw NotFound('task');
    return task;
  }

  /** The first final report counts; what comes later changes nothing. */
  async report(
    runnerId: number,
    report: TaskReport,
  ): Promise<{ result: ResultNumber; sentOutputs: string[]; isEnded: boolean }> {
    const { database, jobStates } = this.deps;
    const { run_id: runId } = await this.taskOf(runnerId, report.taskId);
    return database.write(async () => {
      if (!(await jobStates.lockRun(runId))) throw NotFound('task');
      const task = await database.query(TaskRow).findById(report.taskId).forUpdate();
      if (!task) throw NotFound('task');
      const wasFinal = isFinal(task.status);
      const sentOutputs = await this.#storeOutputs(task, wasFinal ? {} : report.outputs);
      if (wasFinal) {
        // the server failed what its runner still works at: being cancelled is all that a runner stops for
        const goesOn = report.result === 0 && task.status === failure;
        return { result: goesOn ? cancelled : (task.status as ResultNumber), sentOutputs, isEnded: false };
      }
      const now = Date.now();
      await this.#storeSteps(task.id, report.steps, now);
      if (report.result === 0) {
        // Never the moment of its birth: that means that its runner has not spoken yet.
        const spoken = Math.max(now, Number(task.created_at) + 1);
        await database.query(TaskRow).findById(task.id).patch({ updated_at: spoken });
        return { result: task.status === cancelling ? 3 : 0, sentOutputs, isEnded: false };
      }
      const status = task.status === cancelling ? cancelled : report.result;
      await this.end(task, status, now);
      return { result: status, sentOutputs, isEnded: true };
    });
  }

  /** In a transaction that locks the run: ends the task and its job, and updates the jobs that wait for them. */
  async end(task: TaskRow, status: StatusNumber, now: number, problem = ''): Promise<void> {
    const { database, jobStates } = this.deps;
    await database.query(TaskRow).findById(task.id).patch({ status, stopped_at: now, updated_at: now });
    // What did not come to an end did not run.
    await database.query(StepRow).where({ task_id: task.id, status: running }).patch({ status, stopped_at: now });
    await database
      .query(StepRow)
      .where({ task_id: task.id, status: waiting })
      .patch({ status: status === cancelled ? cancelled : statusNumbers.skipped });
    await database
      .query(JobRow)
      .where({ id: task.job_id, task_id: task.id })
      .whereIn('status', [running, cancelling])
      .patch({ status, stopped_at: now, updated_at: now, ...(problem && { problem }) });
    await jobStates.jobChanged([task.job_id]);
    await database.query(RunnerRow).delete().where({ id: task.runner_id, is_ephemeral: true, used_by_task: task.id });
  }

  async #storeSteps(taskId: number, reports: readonly StepReport[], now: number): Promise<void> {
    if (reports.length === 0) return;
    const { database } = this.deps;
    const rows = await database.query(StepRow).where('task_id', taskId);
    const byNumber = new Map(rows.map((row) => [row.number, row]));
    for (const report of reports) {
      const row = byNumber.get(report.id);
      if (!row || isFinal(row.status)) continue;
      const status: StatusNumber = report.result || (report.startedAt ? running : waiting);
      const changes = {
        status,
        log_index: report.logIndex,
        log_length: report.logLength,
        started_at: Math.min(report.startedAt, now),
        stopped_at: Math.min(report.stoppedAt, now),
      };
      const isSame = (Object.keys(changes) as (keyof typeof changes)[]).every((key) => row[key] === changes[key]);
      if (!isSame) await database.query(StepRow).findById(row.id).patch(changes);
    }
  }

  /** A key keeps its first value. Gives the keys that are stored. */
  async #storeOutputs(task: TaskRow, outputs: Readonly<Record<string, string>>): Promise<string[]> {
    const { database } = this.deps;
    const { id: taskId } = task;
    const rows = await database.query(OutputRow).select('output_key').where('task_id', taskId);
    const known = new Set(rows.map((row) => row.output_key));
    // Engines that compare without case would take two of them for one.
    const lower = new Set([...known].map((key) => key.toLowerCase()));
    const isNew = (key: string) => !lower.has(key.toLowerCase());
    let left = Object.keys(outputs).some(isNew) ? maxOfAttempt - (await this.#lengthOfOutputs(task)) : 0;
    for (const [key, value] of Object.entries(outputs)) {
      if (!isNew(key) || known.size >= maxOutputs || value.length > left) continue;
      if (key === '' || Buffer.byteLength(key) > maxKey || Buffer.byteLength(value) > maxValue) continue;
      left -= value.length;
      await database.query(OutputRow).insert({ task_id: taskId, output_key: key, output_value: value });
      known.add(key);
      lower.add(key.toLowerCase());
    }
    return [...known];
  }

  async #lengthOfOutputs({ run_id: runId, run_attempt_id: attemptId }: TaskRow): Promise<number> {
    const knex = this.deps.database.knex();
    const tasks = knex('action_task').select('id').where({ run_id: runId, run_attempt_id: attemptId });
    const row = (await knex(OutputRow.tableName)
      .whereIn('task_id', tasks)
      .sum({ length: knex.raw('length(output_value)') })
      .first()) as { length?: number | string | null } | undefined;
    return Number(row?.length ?? 0);
  }
}
