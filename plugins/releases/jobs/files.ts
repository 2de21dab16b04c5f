import { defineJob } from '@mortise/plugin-sdk';

/** Removes the contents of files whose rows are gone. */
export const removeFiles = defineJob<{ readonly uuids: readonly string[] }>('releases.removeFiles');
/** Finishes or undoes what a kill interrupted, and removes contents that no row names. */
export const sweepReleases = defineJob<Record<string, never>>('releases.sweep');
