import type { BoundCall } from '../../workflow/index.js';
import { isFinal } from '../../contract/states.js';
import { JobPayloadRow, type JobRow } from '../../models/job.js';
import { callsWithoutOutputs, ContextMaker } from './contexts.js';
import { lookAtJob, type RunState } from './run-state.js';
import { Settling, type SettlingDeps } from './settling.js';

/** What calls of workflows give to those that need them. */
export class CallOutputs {
  readonly #contexts: ContextMaker;

  constructor(private readonly deps: SettlingDeps) {
    this.#contexts = new ContextMaker(deps);
  }

  /** Of a call that has ended; whoever waited for them goes on. */
  async make(jobId: number): Promise<void> {
    const { database } = this.deps;
    const seen = await lookAtJob(database, jobId);
    if (!seen || !isFinal(seen.job.status)) return;
    const { job, state } = seen;
    const made: JobPayloadRow[] = [];
    for (const call of await callsWithoutOutputs(state, [job])) await this.#make(state, call, made);
    await database.write(async () => {
      const settling = new Settling(this.deps);
      const now = await settling.state(job.run_id);
      for (const { job_id: id, call_payload: call } of made)
        if (now?.job(id)) await database.query(JobPayloadRow).findById(id).patch({ call_payload: call });
      await settling.add(job.run_id);
      await settling.run();
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
      ? await this.deps.reading.outputs(call.repository_id, {
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
