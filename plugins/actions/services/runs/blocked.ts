import { needsContext, WorkflowError, type Contexts } from '../../workflow/index.js';
import { isFinal, statusNumbers } from '../../contract/states.js';
import type { JobRow } from '../../models/job.js';
import { ContextMaker } from './contexts.js';
import { lookAtJob, type RunState } from './run-state.js';
import { Settling, type SettlingDeps } from './settling.js';

/** A job as it stands before the transaction. */
export interface BlockedJob {
  readonly job: JobRow;
  /** YAML of it alone. */
  readonly payload: string;
  /** With `needs`. */
  contexts(): Promise<Contexts>;
}

/** What happens to the job in the transaction. */
type Change = (state: RunState, job: JobRow) => Promise<void>;

/**
 * Changes jobs whose needs have ended by what takes long to make: that is made before the transaction, and the job goes
 * its way afterwards. What is wrong with the workflow fails the job.
 */
export class Blocked {
  readonly #contexts: ContextMaker;

  constructor(private readonly deps: SettlingDeps) {
    this.#contexts = new ContextMaker(deps);
  }

  /** Nothing happens to a job that `isOpen` says no of, or that is not blocked any more when it is made. */
  async change(
    jobId: number,
    isOpen: (job: JobRow) => boolean,
    make: (job: BlockedJob) => Promise<Change>,
  ): Promise<void> {
    const { database } = this.deps;
    const seen = await this.#look(jobId, isOpen);
    if (!seen) return;
    let change: Change;
    try {
      change = await make(seen);
    } catch (error) {
      if (!(error instanceof WorkflowError)) throw error;
      change = () => Promise.reject(error);
    }
    await database.write(async () => {
      const settling = new Settling(this.deps);
      const state = await settling.state(seen.job.run_id);
      const job = state?.job(jobId);
      if (!state || !job || !isReady(state, job) || !isOpen(job)) return;
      try {
        await change(state, job);
      } catch (error) {
        if (!(error instanceof WorkflowError)) throw error;
        const problem = error.message.slice(0, 2000);
        await state.set(job, statusNumbers.failure, { problem, is_expanded: false });
      }
      await settling.add(job.run_id, [...state.touched]);
      await settling.run();
    });
  }

  async #look(jobId: number, isOpen: (job: JobRow) => boolean): Promise<BlockedJob | undefined> {
    const seen = await lookAtJob(this.deps.database, jobId);
    if (!seen || !isReady(seen.state, seen.job) || !isOpen(seen.job)) return undefined;
    const { job, state } = seen;
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

/** It waits for nothing but this. */
const isReady = (state: RunState, job: JobRow): boolean =>
  job.status === statusNumbers.blocked &&
  !state.run.need_approval &&
  state.siblings(job).every((one) => !job.needs.includes(one.job_id) || isFinal(one.status));
