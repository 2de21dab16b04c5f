import type { BoundCall } from '../../workflow/index.js';
import { isFinal } from '../../contract/states.js';
import { JobPayloadRow } from '../../models/job-payload.js';
import type { JobRow } from '../../models/job.js';
import { callsWithoutOutputs, ContextBuilder } from './context-builder.js';
import { loadJobState, type RunState } from './run-state.js';
import { RunReconciler, type ReconcilerDeps } from './run-reconciler.js';

/** What calls of workflows give to those that need them. */
export class CallOutputs {
  readonly #contexts: ContextBuilder;

  constructor(private readonly deps: ReconcilerDeps) {
    this.#contexts = new ContextBuilder(deps);
  }

  /** Computes the outputs of a call that has ended; jobs that need them go on. */
  async make(jobId: number): Promise<void> {
    const { database } = this.deps;
    const loaded = await loadJobState(database, jobId);
    if (!loaded || !isFinal(loaded.job.status)) return;
    const { job, state } = loaded;
    const made: JobPayloadRow[] = [];
    for (const call of await callsWithoutOutputs(state, [job])) await this.#make(state, call, made);
    await database.write(async () => {
      const reconciler = new RunReconciler(this.deps);
      const now = await reconciler.state(job.run_id);
      for (const { job_id: id, call_payload: call } of made)
        if (now?.job(id)) await database.query(JobPayloadRow).findById(id).patch({ call_payload: call });
      await reconciler.add(job.run_id);
      await reconciler.run();
    });
  }

  /** Those of the calls below it first. */
  async #make(state: RunState, call: JobRow, made: JobPayloadRow[]): Promise<void> {
    const row = await state.jobPayload(call.id);
    if (!row) return;
    const children = state.children(call);
    for (const below of await callsWithoutOutputs(state, children)) await this.#make(state, below, made);
    const [child] = children;
    const ids = [...new Set(children.map((one) => one.job_id))];
    const outputs = child
      ? await this.deps.workers.callOutputs(call.repository_id, {
          callee: row.callee ?? '',
          file: call.call_uses,
          jobs: await this.#contexts.ended(state, child, ids),
          inputs: (row.call_payload?.inputs ?? {}) as BoundCall['inputs'],
        })
      : {};
    row.call_payload = { ...row.call_payload, outputs };
    state.setCallOutputs(call.id, outputs);
    made.push(row);
  }
}
