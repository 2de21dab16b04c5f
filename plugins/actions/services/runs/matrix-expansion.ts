import { WorkflowError } from '../../workflow/index.js';
import { BlockedJobs } from './blocked-jobs.js';
import type { ReconcilerDeps } from './run-reconciler.js';

/** Jobs whose matrix others have made become its jobs. */
export class MatrixExpansion {
  readonly #blocked: BlockedJobs;

  constructor(private readonly deps: ReconcilerDeps) {
    this.#blocked = new BlockedJobs(deps);
  }

  async expand(jobId: number): Promise<void> {
    await this.#blocked.change(
      jobId,
      (job) => job.is_deferred,
      async ({ job, payload, contexts }) => {
        const task = { job: { id: job.job_id, payload }, contexts: await contexts() };
        const plan = await this.deps.workers.expandMatrix(job.repository_id, task);
        if (plan.problem !== undefined) throw new WorkflowError(plan.problem);
        return async (state, now) => {
          const made = await this.deps.jobWriter.replace(state, now, plan.jobs);
          await state.reload();
          for (const id of made) state.changedJobs.add(id);
        };
      },
    );
  }
}
