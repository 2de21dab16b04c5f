import type { Database } from '@mortise/plugin-sdk';
import { addressOutput } from '../../workflow/index.js';
import { isFinal, statusNumbers, type StatusNumber } from '../../contract/states.js';
import { JobPayloadRow } from '../../models/job-payload.js';
import { JobRow } from '../../models/job.js';
import { AttemptRow } from '../../models/attempt.js';
import { RunPayloadRow } from '../../models/run-payload.js';
import { RunRow } from '../../models/run.js';
import { OutputRow } from '../../models/output.js';
import { jobsOf } from './run-rows.js';

/** Rows that are read by one statement. */
const batch = 100;
type Outputs = Readonly<Record<string, string>>;

interface RunStart {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** A run with its newest attempt and all jobs of that, inside one transaction. What is set here is stored at once. */
export class RunState {
  /** Jobs whose status has changed in this transaction. */
  readonly changedJobs = new Set<number>();
  /** The run was made in this transaction, or an attempt of it. */
  isNew = false;
  readonly previousStatus: StatusNumber;
  #start: Promise<RunStart> | undefined;
  #jobPayloads = new Map<number, JobPayloadRow>();
  #outputs = new Map<number, Outputs>();
  #callOutputs = new Map<number, Outputs | undefined>();

  constructor(
    private readonly database: Database,
    readonly run: RunRow,
    readonly attempt: AttemptRow,
    public jobs: JobRow[],
  ) {
    this.previousStatus = run.status;
  }

  job(id: number): JobRow | undefined {
    return this.jobs.find((one) => one.id === id);
  }

  /** Jobs that have the same caller, or all that have none. */
  siblings(job: Pick<JobRow, 'parent_job_id'>): JobRow[] {
    return this.jobs.filter((one) => one.parent_job_id === job.parent_job_id);
  }

  children(job: Pick<JobRow, 'id'>): JobRow[] {
    return this.jobs.filter((one) => one.parent_job_id === job.id);
  }

  /** Whether the run was cancelled: then `cancelled()` is true for jobs that still wait. */
  get isCancelled(): boolean {
    return this.jobs.some(({ status }) => status === statusNumbers.cancelled || status === statusNumbers.cancelling);
  }

  async set(job: JobRow, status: StatusNumber, more: Partial<JobRow> = {}): Promise<void> {
    const now = Date.now();
    const change: Partial<JobRow> = { ...more, status, updated_at: now };
    if (status === statusNumbers.running && !Number(job.started_at)) change.started_at = now;
    if (isFinal(status) && !Number(job.stopped_at)) change.stopped_at = now;
    Object.assign(job, change);
    this.changedJobs.add(job.id);
    await this.patch(job, change);
  }

  async patch(job: JobRow, change: Partial<JobRow>): Promise<void> {
    Object.assign(job, change);
    await this.database.query(JobRow).findById(job.id).patch(change);
  }

  async reload(): Promise<void> {
    this.jobs = await this.database
      .query(JobRow)
      .where({ run_id: this.run.id, run_attempt_id: this.attempt.id })
      .orderBy('id');
  }

  /** Payload of the event that started the run. */
  async payload(): Promise<Readonly<Record<string, unknown>>> {
    return (await this.#loadStart()).payload;
  }

  /** The context `inputs` of the workflow of the run. */
  async inputs(): Promise<Readonly<Record<string, unknown>>> {
    return (await this.#loadStart()).inputs;
  }

  #loadStart(): Promise<RunStart> {
    return (this.#start ??= Promise.resolve(this.database.query(RunPayloadRow).findById(this.run.id)).then((row) => {
      const payload = JSON.parse(row?.payload ?? '{}') as RunStart['payload'];
      return { payload, inputs: row?.inputs ?? (payload.inputs as RunStart['inputs'] | undefined) ?? {} };
    }));
  }

  async jobPayload(jobId: number): Promise<JobPayloadRow | undefined> {
    const known = this.#jobPayloads.get(jobId);
    if (known) return known;
    const row = await this.database.query(JobPayloadRow).findById(jobId);
    if (row) this.#jobPayloads.set(jobId, row);
    return row;
  }

  /** Its payload was changed. */
  forget(jobId: number): void {
    this.#jobPayloads.delete(jobId);
    this.#callOutputs.delete(jobId);
  }

  /** Outputs of these calls, as far as they are computed. Reads no workflow files. */
  async callOutputs(calls: readonly Pick<JobRow, 'id'>[]): Promise<ReadonlyMap<number, Outputs>> {
    const missing = calls.map(({ id }) => id).filter((id) => !this.#callOutputs.has(id));
    for (let at = 0; at < missing.length; at += batch) {
      const ids = missing.slice(at, at + batch);
      for (const id of ids) this.#callOutputs.set(id, undefined);
      const rows = await this.database.query(JobPayloadRow).select('job_id', 'call_payload').whereIn('job_id', ids);
      for (const row of rows) this.#callOutputs.set(row.job_id, row.call_payload?.outputs as Outputs | undefined);
    }
    const known = calls.map(({ id }) => [id, this.#callOutputs.get(id)] as const);
    return new Map(known.filter((one): one is readonly [number, Outputs] => one[1] !== undefined));
  }

  /** They were made, and may not be stored yet. */
  setCallOutputs(jobId: number, outputs: Outputs): void {
    this.#callOutputs.set(jobId, outputs);
  }

  /** Outputs of what these jobs' runners reported; of others nothing. */
  async outputs(jobs: readonly JobRow[]): Promise<ReadonlyMap<number, Readonly<Record<string, string>>>> {
    const missing = jobs.filter(({ id }) => !this.#outputs.has(id));
    const tasks = new Map(missing.map((job) => [job.task_id || job.source_task_id, job.id]));
    tasks.delete(0);
    const found = new Map<number, Record<string, string>>(missing.map(({ id }) => [id, {}]));
    if (tasks.size > 0)
      for (const row of await this.database
        .query(OutputRow)
        .whereIn('task_id', [...tasks.keys()])
        .whereNot('output_key', addressOutput))
        found.get(tasks.get(row.task_id)!)![row.output_key] = row.output_value;
    for (const [id, outputs] of found) this.#outputs.set(id, outputs);
    return new Map(jobs.map(({ id }) => [id, this.#outputs.get(id) ?? {}]));
  }
}

/**
 * The attempt of a job, without a lock. `needsOthers`: whether the other jobs of the attempt
 * are wanted, which may be hundreds; otherwise the state knows this one alone.
 */
export async function loadJobState(
  database: Database,
  jobId: number,
  needsOthers: (job: JobRow) => boolean = () => true,
): Promise<{ readonly job: JobRow; readonly state: RunState } | undefined> {
  const jobRow = await database.query(JobRow).findById(jobId);
  const run = jobRow && (await database.query(RunRow).findById(jobRow.run_id));
  const attempt = jobRow && (await database.query(AttemptRow).findById(jobRow.run_attempt_id));
  if (!run || !attempt) return undefined;
  const jobs = needsOthers(jobRow) ? await jobsOf(database, run.id, attempt.id) : [jobRow];
  const state = new RunState(database, run, attempt, jobs);
  const job = state.job(jobId);
  return job && { job, state };
}
