import { defineJob } from '@mortise/plugin-sdk';

/** Removes stored content that nothing refers to any more. */
export const removeLeftovers = defineJob<Record<string, never>>('actions-artifacts.removeLeftovers');
/** Ends artifacts and caches whose time is over, and uploads that nobody goes on with. */
export const cleanUpArtifacts = defineJob<Record<string, never>>('actions-artifacts.cleanUp');
