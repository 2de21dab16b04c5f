import { definePoint, defineService, type Keyed } from '@mortise/plugin-sdk';
import type { Runner } from './runners.js';
import type { ScopedRepository } from './scopes.js';

/** Versions by which runners learn that there may be work. */
export interface TaskQueue {
  /**
   * A job of the repository became waiting, or one ended while others wait: bumps the counters of the site, the owner and
   * the repository in the open transaction, and wakes waiting runners of all processes after the commit. Call it late in
   * the transaction: the rows of the counters are held until the commit.
   */
  bump(repository: ScopedRepository): Promise<void>;
}
export const taskQueue = defineService<TaskQueue>('actions.taskQueue');

/** A result as the protocol counts it: 0 none yet, 1 success, 2 failure, 3 cancelled, 4 skipped. */
export type ResultNumber = 0 | 1 | 2 | 3 | 4;

/** What a task brings to its runner. */
export interface TaskPayload {
  readonly id: number;
  /** YAML with one job. */
  readonly workflow: string;
  /** The `github` context, with tokens. */
  readonly context: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, string>>;
  readonly vars: Readonly<Record<string, string>>;
  readonly needs: Readonly<
    Record<string, { readonly result: number; readonly outputs: Readonly<Record<string, string>> }>
  >;
}

/** Times are milliseconds since 1970 UTC; 0: not yet. */
export interface StepReport {
  /** Index, from 0. */
  readonly id: number;
  readonly result: ResultNumber;
  readonly startedAt: number;
  readonly stoppedAt: number;
  readonly logIndex: number;
  readonly logLength: number;
}

export interface TaskReport {
  readonly taskId: number;
  readonly result: ResultNumber;
  readonly startedAt: number;
  readonly stoppedAt: number;
  readonly steps: readonly StepReport[];
  readonly outputs: Readonly<Record<string, string>>;
}

export interface RunnerRegistration {
  readonly name: string;
  /** Registration token. */
  readonly token: string;
  readonly version: string;
  readonly labels: readonly string[];
  readonly isEphemeral: boolean;
  readonly capabilities: readonly string[];
}

/** What runners call, independent of their protocol. */
export interface RunnerService {
  /** Returns the runner and its secret (40 hex digits), of which only a hash is stored. BadRequest with the protocol's message. */
  register(registration: RunnerRegistration): Promise<{ readonly runner: Runner; readonly secret: string }>;
  /** Notes that it is online. Unauthorized for an unknown uuid and for a wrong secret, in the same words. A hot read. */
  authenticate(uuid: string, secret: string): Promise<Runner>;
  declare(
    runner: Runner,
    declared: {
      readonly version: string;
      readonly labels: readonly string[];
      readonly capabilities: readonly string[];
    },
  ): Promise<Runner>;
  /**
   * The next task for it. With the current version it waits up to `[actions]` a few seconds for a change, without asking
   * the database; 0 always looks. The task is released when the signal is aborted before it is there.
   */
  fetch(
    runner: Runner,
    version: bigint,
    signal: AbortSignal,
  ): Promise<{ readonly task?: TaskPayload; readonly version: bigint }>;
  /** The answer with the task was not delivered: the job waits again. */
  release(taskId: number): Promise<void>;
  /** Gives the result that holds, and the names of all outputs that are kept. NotFound unless it is the runner's task. */
  report(
    runner: Runner,
    report: TaskReport,
  ): Promise<{ readonly result: ResultNumber; readonly sentOutputs: readonly string[] }>;
  /** The runner's task? Notes that it is active. NotFound otherwise. */
  checkTask(runner: Runner, taskId: number): Promise<void>;
}
export const runnerService = defineService<RunnerService>('actions.runnerService');

/** A task while it is put together. */
interface NewTask {
  readonly taskId: number;
  readonly jobId: number;
  readonly runId: number;
  readonly repositoryId: number;
  readonly ownerId: number;
}

/** Extension point: further keys of the `github` context, such as the address for identity tokens; undefined: none. */
export interface TaskContextEntry extends Keyed {
  of(task: NewTask): Promise<Readonly<Record<string, unknown>> | undefined>;
}
export const taskContextEntries = definePoint.keyed<TaskContextEntry>('actions.taskContextEntries');
