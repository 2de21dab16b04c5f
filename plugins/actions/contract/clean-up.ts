import { defineEvent, defineJob } from '@mortise/plugin-sdk';

/** `[cron.cleanup_actions]` is due: expired data of runs is to be removed. */
export const cleanUpDue = defineEvent<Record<string, never>>('actions.cleanUpDue');

/** Emits it. */
export const cleanUpActions = defineJob<Record<string, never>>('actions.cleanUp');
