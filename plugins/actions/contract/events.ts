import { defineEvent } from '@mortise/plugin-sdk';

/** The status of jobs has changed; in the transaction of the change. */
export const jobsChanged = defineEvent<{
  readonly repositoryId: number;
  readonly runId: number;
  /** `status`: a number of `statusNumbers`. */
  readonly jobs: readonly { readonly id: number; readonly status: number }[];
}>('actions.jobsChanged');

/** The status of a run has changed, or the run is new (`before`: 0); in the transaction of the change. Numbers of `statusNumbers`. */
export const runChanged = defineEvent<{
  readonly repositoryId: number;
  readonly runId: number;
  readonly attempt: number;
  readonly status: number;
  readonly before: number;
}>('actions.runChanged');

/** A run older than attempts got its first attempt: data of attempt 0 belongs to it now. In the transaction. */
export const firstAttemptRecorded = defineEvent<{
  readonly repositoryId: number;
  readonly runId: number;
  readonly attemptId: number;
}>('actions.firstAttemptRecorded');

/** Runs are about to be deleted. Subscribe `within` and remove what belongs to them. */
export const runsDeleted = defineEvent<{
  readonly repositoryId: number;
  readonly runIds: readonly number[];
  readonly taskIds: readonly number[];
}>('actions.runsDeleted');

/** Tasks that runners hold were cancelled; in the transaction of the change. */
export const tasksCancelled = defineEvent<{ readonly repositoryId: number; readonly taskIds: readonly number[] }>(
  'actions.tasksCancelled',
);
