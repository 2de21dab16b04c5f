import { defineJob } from '@mortise/plugin-sdk';

/** Removes stored content that nothing refers to any more. */
export const removeOrphanBlobs = defineJob<Record<string, never>>('actions-artifacts.removeLeftovers');
/** Removes expired artifacts and caches, and abandoned uploads. */
export const cleanUpArtifacts = defineJob<Record<string, never>>('actions-artifacts.cleanUp');
