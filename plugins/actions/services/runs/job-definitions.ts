import { defineJob } from '@mortise/plugin-sdk';

/** Reads the workflow that a job calls, and inserts its jobs. */
export const expandCall = defineJob<{ readonly jobId: number }>('actions.expandCall');
/** Expands the matrix of a job whose needs have ended. */
export const expandDeferredMatrix = defineJob<{ readonly jobId: number }>('actions.unfoldMatrix');
/** Computes the outputs of a call whose jobs have ended. */
export const computeCallOutputs = defineJob<{ readonly jobId: number }>('actions.makeOutputs');
/** Looks whether jobs of a run may begin now. */
export const resumeRun = defineJob<{ readonly runId: number }>('actions.resumeRun');
/** Starts due schedules. */
export const startSchedules = defineJob<Record<string, never>>('actions.startSchedules');
/** Reads the schedules of a repository anew. */
export const readSchedules = defineJob<{ readonly repositoryId: number }>('actions.readSchedules');
