import { defineService } from '@mortise/plugin-sdk';

/** A task that runs now, and what programs of a job may know of it. */
export interface RuntimeTask {
  readonly taskId: number;
  readonly jobId: number;
  /** Id of the job in the workflow. */
  readonly jobKey: string;
  readonly runId: number;
  /** Counts from 1 in each repository. */
  readonly runNumber: number;
  readonly attemptId: number;
  /** From 1. */
  readonly attempt: number;
  readonly repositoryId: number;
  readonly ownerId: number;
  /** Name of the file of the workflow. */
  readonly workflow: string;
  /** Its path in the repository that it came from, and that repository's commit. */
  readonly workflowPath: string;
  readonly workflowRepositoryId: number;
  readonly workflowCommit: string;
  /** Full: `refs/heads/main`. */
  readonly ref: string;
  readonly commit: string;
  /** Key below `on:`. */
  readonly event: string;
  readonly actorId: number;
  /** Of a pull request from elsewhere. */
  readonly isFork: boolean;
  /** The job declared `id-token: write` and may have it. */
  readonly mayIdentify: boolean;
  /** Payload of the event that started the run. */
  payload(): Promise<Readonly<Record<string, unknown>>>;
  /** How many steps the job has. */
  steps(): Promise<number>;
}

export interface RuntimeTasks {
  /** By `Authorization: Bearer …` with a runtime token; undefined: none, a bad one, or the task has ended. */
  ofHeader(authorization: string | undefined): Promise<RuntimeTask | undefined>;
  /** By its id, while it runs or is being cancelled. */
  running(taskId: number): Promise<RuntimeTask | undefined>;
}
export const runtimeTasks = defineService<RuntimeTasks>('actions.runtimeTasks');
