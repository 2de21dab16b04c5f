import { defineJob } from '@mortise/plugin-sdk';

/** Removes abandoned uploads, and blobs that no manifest references. */
export const cleanUpUploads = defineJob<Record<string, never>>('package-container.cleanUpUploads');
