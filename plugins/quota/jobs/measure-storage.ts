import { defineJob } from '@mortise/plugin-sdk';

/** Measures repositories and wikis on disk, for what garbage collection has freed and what nobody counted before. */
export const measureStorage = defineJob<Record<string, never>>('quota.measureStorage');
