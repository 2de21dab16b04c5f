import { defineJob } from '@mortise/plugin-sdk';

/** Removes repositories whose making was interrupted. */
export const sweepUnfinished = defineJob<Record<string, never>>('repositories.sweepHalfMade');
