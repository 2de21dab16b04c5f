import { WorkflowError } from '../../workflow/index.js';
import { Blocked } from './blocked.js';
import type { SettlingDeps } from './settling.js';

/** Jobs whose matrix others have made become its jobs. */
export class Unfolding {
  readonly #blocked: Blocked;

  constructor(private readonly deps: SettlingDeps) {
    this.#blocked = new Blocked(deps);
  }

  async unfold(jobId: number): Promise<void> {
    await this.#blocked.change(
      jobId,
      (job) => job.is_deferred,
      async ({ job, payload, contexts }) => {
        const task = { job: { id: job.job_id, payload }, contexts: await contexts() };
        const plan = await this.deps.reading.unfold(job.repository_id, task);
        if (plan.problem !== undefined) throw new WorkflowError(plan.problem);
        return async (state, now) => {
          const made = await this.deps.planner.replace(state, now, plan.jobs);
          await state.reload();
          for (const id of made) state.touched.add(id);
        };
      },
    );
  }
}
