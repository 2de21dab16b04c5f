import type { Database } from '@mortise/plugin-sdk';
import type { RuntimeTask, RuntimeTasks } from '../contract/runtime-tasks.js';
import type { RuntimeTokens } from '../contract/runtime-tokens.js';
import { statusNumbers } from '../contract/states.js';
import { JobRow } from '../models/job.js';
import { RunPayloadRow } from '../models/run-payload.js';
import { RunRow } from '../models/run.js';
import { StepRow } from '../models/step.js';
import { TaskRow } from '../models/task.js';

interface RuntimeTaskDeps {
  readonly database: Database;
  readonly tokens: RuntimeTokens;
  /** The task of a token as git and the API take it. */
  readonly taskOfToken: (token: string) => Promise<number | undefined>;
}

/** Tasks behind the tokens of their programs, looked up on each use: what has ended may nothing more. */
export class RunningTasks implements RuntimeTasks {
  constructor(private readonly deps: RuntimeTaskDeps) {}

  async ofHeader(authorization: string | undefined): Promise<RuntimeTask | undefined> {
    const token = /^(?:bearer|token) +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (!token) return undefined;
    const claims = await this.deps.tokens.read(token);
    const taskId = claims?.taskId ?? (await this.deps.taskOfToken(token));
    const task = taskId === undefined ? undefined : await this.running(taskId);
    return task && (!claims || (claims.runId === task.runId && claims.jobId === task.jobId)) ? task : undefined;
  }

  async running(taskId: number): Promise<RuntimeTask | undefined> {
    const { database } = this.deps;
    const task = await database
      .query(TaskRow)
      .findById(taskId)
      .whereIn('status', [statusNumbers.running, statusNumbers.cancelling]);
    const run = task && (await database.query(RunRow).findById(task.run_id));
    const job = run && (await database.query(JobRow).findById(task.job_id));
    if (!task || !run || !job) return undefined;
    return {
      taskId: task.id,
      jobId: job.id,
      jobKey: job.job_id,
      runId: run.id,
      runNumber: run.number,
      attemptId: task.run_attempt_id,
      attempt: task.attempt,
      repositoryId: run.repository_id,
      ownerId: run.owner_id,
      workflow: run.workflow_id,
      workflowPath: run.workflow_path,
      workflowRepositoryId: run.workflow_repo_id,
      workflowCommit: run.workflow_commit_sha,
      ref: run.ref,
      commit: run.commit_sha,
      event: run.trigger_event,
      actorId: run.trigger_user_id,
      isFork: run.is_fork,
      mayIdentify: mayIdentify(job, run),
      payload: async () => {
        const row = await database.query(RunPayloadRow).findById(run.id);
        return JSON.parse(row?.payload ?? '{}') as Record<string, unknown>;
      },
      steps: () => database.query(StepRow).where('task_id', task.id).resultSize(),
    };
  }
}

/** Pull requests from forks get no identity tokens, whatever their workflow declares. */
function mayIdentify({ token_permissions }: JobRow, { is_fork, trigger_event }: RunRow): boolean {
  if (is_fork && trigger_event !== 'pull_request_target') return false;
  return (token_permissions as { readonly idToken?: unknown } | null)?.idToken === true;
}
