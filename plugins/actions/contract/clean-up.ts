import { defineEvent, defineJob } from '@mortise/plugin-sdk';

/** The time of `[cron.cleanup_actions]` has come: what is left of runs, and has had its time, is to go. */
export const cleanUpDue = defineEvent<Record<string, never>>('actions.cleanUpDue');

/** Says that it has come. */
export const cleanUpActions = defineJob<Record<string, never>>('actions.cleanUp');
