import { defineJob } from '@mortise/plugin-sdk';

/** Removes uploads that nobody goes on with, and blobs that no manifest took. */
export const cleanUpUploads = defineJob<Record<string, never>>('package-container.cleanUpUploads');
