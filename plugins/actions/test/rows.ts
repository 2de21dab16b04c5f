import type { TestHost } from '@mortise/plugin-sdk/testing';
import { database } from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';
import { statusNumbers, type StatusNumber } from '../contract/states.js';
import { JobRow } from '../models/job.js';
import { AttemptRow } from '../models/attempt.js';
import { RunPayloadRow } from '../models/run-payload.js';
import { RunRow } from '../models/run.js';
import { StepRow } from '../models/step.js';
import { TaskRow } from '../models/task.js';

/** A task with all that it stands on. */
export interface MadeTask {
  readonly run: RunRow;
  readonly attempt: AttemptRow;
  readonly job: JobRow;
  readonly task: TaskRow;
}

export interface TaskOptions {
  /** A further job of that run and attempt. */
  readonly of?: Pick<MadeTask, 'run' | 'attempt'>;
  readonly status?: StatusNumber;
  readonly jobName?: string;
  readonly ref?: string;
  readonly event?: string;
  readonly payload?: object;
  readonly isFork?: boolean;
  readonly mayIdentify?: boolean;
  readonly steps?: number;
}

const commit = 'c'.repeat(40);

/** Rows as if a runner had taken a job of the repository just now; no runner is needed. */
export async function makeTask(host: TestHost, repository: Repository, options: TaskOptions = {}): Promise<MadeTask> {
  const db = host.services.get(database);
  const now = Date.now();
  const times = { started_at: now, created_at: now, updated_at: now };
  const status = options.status ?? statusNumbers.running;
  const owner = { repository_id: repository.id, owner_id: repository.ownerId };
  const makeRun = async () => {
    const run = await db.query(RunRow).insertAndFetch({
      ...owner,
      ...times,
      number: 1 + (await db.query(RunRow).where('repository_id', repository.id).resultSize()),
      title: 'Build it',
      workflow_id: 'build.yml',
      workflow_name: 'build',
      workflow_repo_id: repository.id,
      workflow_commit_sha: commit,
      workflow_path: '.gitea/workflows/build.yml',
      ref: options.ref ?? 'refs/heads/main',
      head_branch: 'main',
      commit_sha: commit,
      trigger_user_id: repository.ownerId,
      event: options.event ?? 'push',
      trigger_event: options.event ?? 'push',
      is_fork: options.isFork ?? false,
      raw_concurrency: '',
      problem: '',
      status,
    });
    await db.query(RunPayloadRow).insert({ run_id: run.id, payload: JSON.stringify(options.payload ?? {}) });
    const attempt = await db.query(AttemptRow).insertAndFetch({
      ...times,
      run_id: run.id,
      repository_id: repository.id,
      number: 1,
      trigger_user_id: repository.ownerId,
      status,
    });
    await db.query(RunRow).patch({ latest_attempt_id: attempt.id }).where('id', run.id);
    return { run: Object.assign(run, { latest_attempt_id: attempt.id }), attempt };
  };
  return db.write(async () => {
    const { run, attempt } = options.of ?? (await makeRun());
    const job = await db.query(JobRow).insertAndFetch({
      ...owner,
      ...times,
      run_id: run.id,
      run_attempt_id: attempt.id,
      attempt: attempt.number,
      attempt_job_id: 1,
      name: options.jobName ?? 'test',
      job_id: 'test',
      needs: [],
      runs_on: [],
      matrix: {},
      status,
      condition: '',
      raw_concurrency: '',
      token_permissions: { units: {}, idToken: options.mayIdentify ?? false },
      workflow_repo_id: repository.id,
      workflow_commit_sha: commit,
      problem: '',
    });
    const task = await db.query(TaskRow).insertAndFetch({
      ...owner,
      ...times,
      job_id: job.id,
      run_id: run.id,
      run_attempt_id: attempt.id,
      attempt: attempt.number,
      runner_id: 0,
      status,
      commit_sha: commit,
      token_hash: '',
      token_salt: '',
      token_last_eight: '',
    });
    await db.query(JobRow).patch({ task_id: task.id }).where('id', job.id);
    for (let number = 0; number < (options.steps ?? 1); number++)
      await db.query(StepRow).insert({ task_id: task.id, number, name: `step ${number}`, status });
    return { run, attempt, job: Object.assign(job, { task_id: task.id }), task };
  });
}

/** The task, its job, its run end. */
export async function endTask(
  host: TestHost,
  { run, attempt, job, task }: MadeTask,
  status: StatusNumber = statusNumbers.success,
): Promise<void> {
  const db = host.services.get(database);
  const ended = { status, stopped_at: Date.now() };
  await db.write(async () => {
    await db.query(TaskRow).patch(ended).where('id', task.id);
    await db.query(JobRow).patch(ended).where('id', job.id);
    await db.query(AttemptRow).patch(ended).where('id', attempt.id);
    await db.query(RunRow).patch(ended).where('id', run.id);
  });
}
