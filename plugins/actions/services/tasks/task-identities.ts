import { defineGrant, type Actor, type Database } from '@mortise/plugin-sdk';
import type { Repositories, Repository } from '@mortise/repositories/api';
import { statusNumbers } from '../../contract/states.js';
import type { TaskIdentities, TaskIdentity, TaskPermissions } from '../../contract/task-identity.js';
import type { TokenSettingsStore } from '../../contract/token-settings.js';
import { JobRow } from '../../models/job.js';
import { TaskRow } from '../../models/task.js';
import type { DeclaredPermissions } from '../../workflow/index.js';
import { permissionsOf, type TaskPermissionInput } from './task-permissions.js';
import type { TaskTokens } from './task-tokens.js';

const { running, cancelling } = statusNumbers;
const maxImportedTokens = 10_000;

const identityOf = (task: TaskRow, { ownerId }: Pick<Repository, 'ownerId'>): TaskIdentity => ({
  taskId: task.id,
  jobId: task.job_id,
  runId: task.run_id,
  attemptId: task.run_attempt_id,
  repositoryId: task.repository_id,
  ownerId,
  runnerId: task.runner_id,
  isForkPull: task.is_fork,
  status: task.status,
});

interface IdentityDeps {
  readonly database: Database;
  readonly repositories: Pick<Repositories, 'byId'>;
  readonly tokens: TaskTokens;
  readonly settings: TokenSettingsStore;
}

/** Looks up the identity behind task credentials on each use: nothing is cached that could outlive the task. */
export class TaskIdentityService implements TaskIdentities {
  constructor(private readonly deps: IdentityDeps) {}

  /** Whether it has the form of a task token. Without a query. */
  mayBe(token: string): boolean {
    return this.deps.tokens.mayBe(token);
  }

  async byToken(token: string): Promise<TaskIdentity | undefined> {
    const { database, tokens } = this.deps;
    if (!tokens.mayBe(token)) return undefined;
    const rows = await database
      .query(TaskRow)
      .where('token_last_eight', token.slice(-8))
      .whereIn('status', [running, cancelling])
      .orderBy('id', 'desc')
      .limit(20);
    for (const task of rows) if (await tokens.is(token, task)) return this.#identity(task);
    return undefined;
  }

  /** Tokens of tasks that ran when their server was taken over are known from the next start on. */
  async recognizeImportedTokens(): Promise<void> {
    const rows = await this.deps.database
      .query(TaskRow)
      .select('token_last_eight')
      .whereIn('status', [running, cancelling])
      .where('token_hash', 'like', '$%')
      .limit(maxImportedTokens);
    this.deps.tokens.recognizeImported(rows.map((row) => row.token_last_eight));
  }

  async running(taskId: number): Promise<TaskIdentity | undefined> {
    const task = await this.deps.database.query(TaskRow).findById(taskId);
    return task?.status === running ? this.#identity(task) : undefined;
  }

  async permissionsOf(taskId: number): Promise<TaskPermissions | undefined> {
    const input = await this.permissionInput(taskId);
    return input && permissionsOf(input);
  }

  /** What its permissions are made of, in its own repository and in others. */
  async permissionInput(taskId: number): Promise<TaskPermissionInput | undefined> {
    const { database, repositories } = this.deps;
    const task = await database.query(TaskRow).findById(taskId);
    const job = task && (await database.query(JobRow).findById(task.job_id));
    const repository = job && (await repositories.byId(task.repository_id));
    if (!repository) return undefined;
    const settings = await this.deps.settings.inForce(repository);
    return { declared: job.token_permissions as DeclaredPermissions | null, settings, isFork: task.is_fork };
  }

  /** Whose it is says the repository, which may have got another owner meanwhile. */
  async #identity(task: TaskRow): Promise<TaskIdentity | undefined> {
    const repository = await this.deps.repositories.byId(task.repository_id);
    return repository && identityOf(task, repository);
  }
}

/** What the actor of a task brings along. */
export interface TaskGrant {
  readonly taskId: number;
  readonly repositoryId: number;
  readonly ownerId: number;
  readonly isForkPull: boolean;
}
export const taskGrant = defineGrant<TaskGrant>('actions.task');

/**
 * Who acts for a job. The table of its permissions is the limit in repositories; the scopes keep it from what belongs to
 * accounts, which it has none of.
 */
export const actorOf = ({ taskId, repositoryId, ownerId, isForkPull }: TaskIdentity, actor: Actor): Actor => ({
  ...actor,
  kind: 'task',
  isAdmin: false,
  method: 'task',
  credentialId: taskId,
  scopes: {
    repository: 'write',
    issue: 'write',
    package: 'delete',
    misc: 'write',
    user: 'read',
    organization: 'read',
  },
  grants: taskGrant.make({ taskId, repositoryId, ownerId, isForkPull }),
});
