import { needsContext, WorkflowError, type Contexts } from '../../workflow/index.js';
import { isFinal, statusNumbers } from '../../contract/states.js';
import type { JobRow } from '../../models/job.js';
import { ContextBuilder } from './context-builder.js';
import { loadJobState, type RunState } from './run-state.js';
import { RunReconciler, type ReconcilerDeps } from './run-reconciler.js';

/** A job as it stands before the transaction. */
interface BlockedJob {
  readonly job: JobRow;
  /** YAML of it alone. */
  readonly payload: string;
  /** With `needs`. */
  contexts(): Promise<Contexts>;
}

/** Applied to the job in the transaction. */
type Change = (state: RunState, job: JobRow) => Promise<void>;

/**
 * Changes jobs whose needs have ended by results that take long to compute: before the transaction, and the job goes
 * its way afterwards. What is wrong with the workflow fails the job.
 */
export class BlockedJobs {
  readonly #contexts: ContextBuilder;

  constructor(private readonly deps: ReconcilerDeps) {
    this.#contexts = new ContextBuilder(deps);
  }

  /** Skips a job for which `isOpen` is false, or that is no longer blocked when the result is there. */
  async change(
    jobId: number,
    isOpen: (job: JobRow) => boolean,
    make: (job: BlockedJob) => Promise<Change>,
  ): Promise<void> {
    const { database } = this.deps;
    const loaded = await this.#load(jobId, isOpen);
    if (!loaded) return;
    let change: Change;
    try {
      change = await make(loaded);
    } catch (error) {
      if (!(error instanceof WorkflowError)) throw error;
      change = () => Promise.reject(error);
    }
    await database.write(async () => {
      const reconciler = new RunReconciler(this.deps);
      const state = await reconciler.state(loaded.job.run_id);
      const job = state?.job(jobId);
      if (!state || !job || !isReady(state, job) || !isOpen(job)) return;
      try {
        await change(state, job);
      } catch (error) {
        if (!(error instanceof WorkflowError)) throw error;
        const problem = error.message.slice(0, 2000);
        await state.set(job, statusNumbers.failure, { problem, is_expanded: false });
      }
      await reconciler.add(job.run_id, [...state.changedJobs]);
      await reconciler.run();
    });
  }

  async #load(jobId: number, isOpen: (job: JobRow) => boolean): Promise<BlockedJob | undefined> {
    const loaded = await loadJobState(this.deps.database, jobId);
    if (!loaded || !isReady(loaded.state, loaded.job) || !isOpen(loaded.job)) return undefined;
    const { job, state } = loaded;
    const repository = await this.deps.repositories.byId(job.repository_id);
    const row = await state.jobPayload(job.id);
    if (!repository || !row) return undefined;
    const contexts = async (): Promise<Contexts> => ({
      ...(await this.#contexts.of(state, repository, job)),
      needs: needsContext(job.needs, await this.#contexts.ended(state, job, job.needs)),
    });
    return { job, payload: row.payload, contexts };
  }
}

/** Whether the job is blocked by nothing else. */
const isReady = (state: RunState, job: JobRow): boolean =>
  job.status === statusNumbers.blocked &&
  !state.run.need_approval &&
  state.siblings(job).every((one) => !job.needs.includes(one.job_id) || isFinal(one.status));
