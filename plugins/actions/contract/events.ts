import { defineEvent } from '@mortise/plugin-sdk';

/** Jobs stand differently; in the transaction of the change. */
export const jobsChanged = defineEvent<{
  readonly repositoryId: number;
  readonly runId: number;
  /** `status`: a number of `statusNumbers`. */
  readonly jobs: readonly { readonly id: number; readonly status: number }[];
}>('actions.jobsChanged');

/** A run stands differently, or is new (`before`: 0); in the transaction of the change. Numbers of `statusNumbers`. */
export const runChanged = defineEvent<{
  readonly repositoryId: number;
  readonly runId: number;
  readonly attempt: number;
  readonly status: number;
  readonly before: number;
}>('actions.runChanged');

/** A run from before there were attempts has its first: what was of attempt 0 is of that. In the transaction. */
export const firstAttemptRecorded = defineEvent<{
  readonly repositoryId: number;
  readonly runId: number;
  readonly attemptId: number;
}>('actions.firstAttemptRecorded');

/** Runs are about to go. Subscribe `within`: remove what belongs to them. */
export const runsDeleted = defineEvent<{
  readonly repositoryId: number;
  readonly runIds: readonly number[];
  readonly taskIds: readonly number[];
}>('actions.runsDeleted');

/** These tasks are to end although a runner has them; in the transaction of the change. */
export const tasksCancelled = defineEvent<{ readonly repositoryId: number; readonly taskIds: readonly number[] }>(
  'actions.tasksCancelled',
);
