import { defineJob } from '@mortise/plugin-sdk';

/** Finishes or undoes what a kill interrupted. */
export const sweepReleases = defineJob<Record<string, never>>('releases.sweep');
