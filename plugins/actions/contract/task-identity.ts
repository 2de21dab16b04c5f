import { defineService } from '@mortise/plugin-sdk';

/** Parts of a repository that `permissions:` names, and packages of its owner; keys of units. */
export const taskUnits = ['code', 'issues', 'pulls', 'releases', 'wiki', 'projects', 'packages', 'actions'] as const;
export type TaskUnit = (typeof taskUnits)[number];
export type TaskMode = 'none' | 'read' | 'write';
export type TaskPermissions = Readonly<Record<TaskUnit, TaskMode>>;

/** A task that runs, as far as its credentials speak for it. */
export interface TaskIdentity {
  readonly taskId: number;
  readonly jobId: number;
  readonly runId: number;
  readonly attemptId: number;
  readonly repositoryId: number;
  readonly ownerId: number;
  readonly runnerId: number;
  /** Of a pull request from elsewhere: it reads only. */
  readonly isForkPull: boolean;
  /** Status number: running, or cancelling. */
  readonly status: number;
}

/** Identities behind task credentials. Permissions are looked up on each use, and end with the task. */
export interface TaskIdentities {
  /** Of a task token. Undefined unless the task is running or cancelling at this moment. */
  byToken(token: string): Promise<TaskIdentity | undefined>;
  /** By the id in a runtime token: while the task is running. */
  running(taskId: number): Promise<TaskIdentity | undefined>;
  /** What it may in its own repository: as declared, at most what the configuration allows, read alone for forks. */
  permissionsOf(taskId: number): Promise<TaskPermissions | undefined>;
}
export const taskIdentities = defineService<TaskIdentities>('actions.taskIdentities');
