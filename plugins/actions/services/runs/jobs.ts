import { defineJob } from '@mortise/plugin-sdk';

/** Reads the workflow that a job calls, and makes its jobs. */
export const expandCall = defineJob<{ readonly jobId: number }>('actions.expandCall');
/** Makes the jobs of a matrix whose needs have ended. */
export const unfoldMatrix = defineJob<{ readonly jobId: number }>('actions.unfoldMatrix');
/** Makes the outputs of a call whose jobs have ended. */
export const makeOutputs = defineJob<{ readonly jobId: number }>('actions.makeOutputs');
/** Starts what schedules say. */
export const startSchedules = defineJob<Record<string, never>>('actions.startSchedules');
/** Reads the schedules of a repository anew. */
export const readSchedules = defineJob<{ readonly repositoryId: number }>('actions.readSchedules');
