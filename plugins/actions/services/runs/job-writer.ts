import { limits, WorkflowError, type PlannedJob } from '../../workflow/index.js';
import { runsOnKey } from '../../contract/labels.js';
import { statusNumbers } from '../../contract/states.js';
import { JobPayloadRow } from '../../models/job-payload.js';
import { JobRow } from '../../models/job.js';
import type { RunDeps } from './run-deps.js';
import { insertInBatches } from './run-rows.js';
import type { RunState } from './run-state.js';

type Planned = PlannedJob;

/** Properties shared by all jobs of one insertion. */
interface JobParent {
  readonly runId: number;
  readonly repositoryId: number;
  readonly ownerId: number;
  readonly attemptId: number;
  readonly attempt: number;
  /** 0: not of a called workflow. */
  readonly parentId: number;
  /** {@link contextName} of that job; empty: none. */
  readonly parentContext: string;
  readonly workflowRepoId: number;
  readonly workflowCommit: string;
}

const text = (value: string, max: number) => value.slice(0, max);

/** A year: more is no limit, and would not fit its column. */
const maxTimeout = 365 * 86_400_000;

/** Stores jobs; all of them begin blocked. */
export class JobWriter {
  constructor(private readonly deps: Pick<RunDeps, 'database'>) {}

  /**
   * Inserts the jobs and gives their ids. `known`: numbers that jobs had in an earlier attempt, by {@link identityOfJob}.
   * WorkflowError past the limit of a run.
   */
  async insert(
    parent: JobParent,
    planned: readonly Planned[],
    existing: number,
    known: ReadonlyMap<string, number> = new Map(),
  ): Promise<number[]> {
    if (existing + planned.length > limits.jobsPerRun)
      throw new WorkflowError(`a run has at most ${limits.jobsPerRun} jobs`);
    const { database } = this.deps;
    if (existing > 0) await this.#checkSize(parent.attemptId, planned);
    const now = Date.now();
    let next = await this.#lastNumber(parent.runId);
    const rows = planned.map((one) => {
      const number = known.get(identityOfJob(one.id, one.name)) ?? ++next;
      return { number, row: rowOf(parent, one, number, now) };
    });
    await insertInBatches(
      database,
      'action_job',
      rows.map(({ row }) => row),
    );
    const stored = await database
      .query(JobRow)
      .where({ run_attempt_id: parent.attemptId, run_id: parent.runId, parent_job_id: parent.parentId })
      .whereIn(
        'attempt_job_id',
        rows.map(({ number }) => number),
      )
      .select('id', 'attempt_job_id');
    const ids = new Map(stored.map((one) => [one.attempt_job_id, one.id]));
    await insertInBatches(
      database,
      'action_job_payload',
      rows.map(({ number }, at) => ({
        job_id: ids.get(number)!,
        payload: planned[at]!.payload,
        step_names: JSON.stringify(planned[at]!.stepNames),
      })),
    );
    return rows.map(({ number }) => ids.get(number)!);
  }

  /** The bound of one planning is that of all jobs of the attempt, too. */
  async #checkSize(attemptId: number, planned: readonly Planned[]): Promise<void> {
    const { database } = this.deps;
    const jobs = database.knex()('action_job').select('id').where('run_attempt_id', attemptId);
    const row = (await database
      .knex()('action_job_payload')
      .whereIn('job_id', jobs)
      .sum({ length: database.knex().raw('length(payload)') })
      .first()) as { length?: number | string | null } | undefined;
    const added = planned.reduce((sum, { payload }) => sum + payload.length, 0);
    if (Number(row?.length ?? 0) + added > limits.payloadsLength)
      throw new WorkflowError(`the jobs have more than ${limits.payloadsLength} characters together`);
  }

  async #lastNumber(runId: number): Promise<number> {
    const row = (await this.deps.database
      .query(JobRow)
      .where('run_id', runId)
      .max('attempt_job_id as last')
      .first()) as { last?: number | null } | undefined;
    return Number(row?.last ?? 0);
  }

  /** Replaces one job of a run by these. */
  async replace(state: RunState, job: JobRow, planned: readonly PlannedJob[]): Promise<number[]> {
    const { run, attempt } = state;
    const { database } = this.deps;
    const parent = state.job(job.parent_job_id);
    const made = await this.insert(
      {
        runId: run.id,
        repositoryId: run.repository_id,
        ownerId: run.owner_id,
        attemptId: attempt.id,
        attempt: attempt.number,
        parentId: job.parent_job_id,
        parentContext: parent ? contextName(parent) : '',
        workflowRepoId: job.workflow_repo_id,
        workflowCommit: job.workflow_commit_sha,
      },
      // the stored job is alone in its workflow; what it waited for has ended
      planned.map((one) => ({ ...one, needs: job.needs })),
      state.jobs.length - 1,
    );
    await database.query(JobPayloadRow).deleteById(job.id);
    await database.query(JobRow).deleteById(job.id);
    return made;
  }
}

/** Name of a job in commit statuses, with its callers: two calls of one workflow have jobs of the same names. */
export const contextName = (job: Pick<JobRow, 'context_name' | 'name'>): string => job.context_name || job.name;

/** Identifies a job of a called workflow across attempts. */
export const identityOfJob = (id: string, name: string): string => `${id}\0${name}`;

function rowOf(parent: JobParent, one: Planned, number: number, now: number): Record<string, unknown> {
  return {
    run_id: parent.runId,
    repository_id: parent.repositoryId,
    owner_id: parent.ownerId,
    run_attempt_id: parent.attemptId,
    attempt: parent.attempt,
    attempt_job_id: number,
    name: text(one.name, 255),
    context_name: text(parent.parentContext ? `${parent.parentContext} / ${one.name}` : one.name, 500),
    job_id: text(one.id, 255),
    needs: JSON.stringify(one.needs),
    runs_on: JSON.stringify(one.runsOn),
    runs_on_key: runsOnKey(one.runsOn),
    matrix: JSON.stringify(one.cell.values),
    strategy: JSON.stringify(one.strategy),
    status: statusNumbers.blocked,
    environment: text(one.environment ?? '', 255),
    condition: one.if ?? '',
    raw_concurrency: one.concurrency ? JSON.stringify(one.concurrency) : '',
    max_parallel: one.maxParallel ?? 0,
    timeout_ms: Math.min(Math.ceil((one.timeoutMinutes ?? 0) * 60_000), maxTimeout),
    token_permissions: one.permissions ? JSON.stringify(one.permissions) : null,
    continue_on_error: one.continueOnError,
    parent_job_id: parent.parentId,
    is_reusable_caller: one.isCaller,
    is_deferred: one.isDeferred,
    call_uses: text(one.uses ?? '', 500),
    workflow_repo_id: parent.workflowRepoId,
    workflow_commit_sha: parent.workflowCommit,
    problem: '',
    created_at: now,
    updated_at: now,
  };
}
