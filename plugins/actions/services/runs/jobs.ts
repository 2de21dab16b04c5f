import { defineJob } from '@mortise/plugin-sdk';

/** Reads the workflow that a job calls, and makes its jobs. */
export const expandCall = defineJob<{ readonly jobId: number }>('actions.expandCall');
/** Starts what schedules say. */
export const startSchedules = defineJob<Record<string, never>>('actions.startSchedules');
/** Reads the schedules of a repository anew. */
export const readSchedules = defineJob<{ readonly repositoryId: number }>('actions.readSchedules');
