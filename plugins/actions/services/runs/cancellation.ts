import { Conflict, Problem } from '@mortise/plugin-sdk';
import { statusFunctions } from '../../workflow/index.js';
import { tasksCancelled } from '../../contract/events.js';
import { isFinal, openStatuses, statusNumbers } from '../../contract/states.js';
import type { JobRow } from '../../models/job.js';
import { StepRow } from '../../models/step.js';
import { TaskRow } from '../../models/task.js';
import type { RunDeps } from './run-deps.js';
import { isActive } from './run-rows.js';
import type { RunState } from './run-state.js';

const { cancelled, cancelling } = statusNumbers;

export const alreadyCompleted = (): Problem => Conflict('run is already completed');

/** Cancels jobs. */
export class Cancellation {
  constructor(private readonly deps: Pick<RunDeps, 'database' | 'events' | 'environment'>) {}

  /**
   * Cancels those that have not ended; callers follow from their jobs, or are cancelled while they have none. `spares`:
   * jobs that are to run whatever happens (`if: always()`) go on.
   */
  async cancelJobs(
    state: RunState,
    jobs: readonly JobRow[],
    { force, spares = false }: { readonly force: boolean; readonly spares?: boolean },
  ): Promise<void> {
    const open = this.#withChildren(state, jobs).filter((job) => !isFinal(job.status));
    const running = open.filter((job) => isActive(job.status) && job.task_id > 0);
    const tasks = await this.#tasks(running);
    const selfCancelling = force ? new Set<number>() : await this.#selfCancelling([...tasks.values()]);
    const cancelledTaskIds: number[] = [];
    for (const job of open) {
      const task = isActive(job.status) ? tasks.get(job.task_id) : undefined;
      if (task) {
        await this.#end(state, job, task, selfCancelling.has(task.runner_id));
        cancelledTaskIds.push(task.id);
      } else if (!(job.is_reusable_caller && job.is_expanded) && !(spares && runsAlways(job)))
        await state.set(job, cancelled);
    }
    if (cancelledTaskIds.length > 0)
      await this.deps.events.emit(tasksCancelled, { repositoryId: state.run.repository_id, taskIds: cancelledTaskIds });
  }

  #withChildren(state: RunState, jobs: readonly JobRow[]): JobRow[] {
    const all = new Set(jobs);
    for (const job of all) for (const child of state.children(job)) all.add(child);
    return [...all];
  }

  async #tasks(jobs: readonly JobRow[]): Promise<Map<number, TaskRow>> {
    if (jobs.length === 0) return new Map();
    const rows = await this.deps.database.query(TaskRow).findByIds(jobs.map((job) => job.task_id));
    return new Map(rows.map((row) => [row.id, row]));
  }

  async #selfCancelling(tasks: readonly TaskRow[]): Promise<ReadonlySet<number>> {
    if (tasks.length === 0) return new Set();
    return this.deps.environment.cancelling([...new Set(tasks.map((task) => task.runner_id))]);
  }

  /** A runner that supports it is asked to cancel the job; otherwise the job ends now. */
  async #end(state: RunState, job: JobRow, task: TaskRow, waits: boolean): Promise<void> {
    const { database } = this.deps;
    const now = Date.now();
    if (waits) {
      if (job.status === cancelling) return;
      await database.query(TaskRow).findById(task.id).patch({ status: cancelling, updated_at: now });
      await state.set(job, cancelling);
      return;
    }
    await database.query(TaskRow).findById(task.id).patch({ status: cancelled, stopped_at: now, updated_at: now });
    await database
      .query(StepRow)
      .where('task_id', task.id)
      .whereIn('status', [...openStatuses, 0])
      .patch({ status: cancelled, stopped_at: now });
    await state.set(job, cancelled);
  }
}

function runsAlways({ condition }: JobRow): boolean {
  if (!condition) return false;
  const called = statusFunctions(condition);
  return called.has('always') && !called.has('cancelled');
}
