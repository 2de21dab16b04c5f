import { defineJob } from '@mortise/plugin-sdk';

/** Makes the documents that a killed process left behind, and those that tell of a former address or name. */
export const renewDocuments = defineJob<Record<string, never>>('package-npm.renewDocuments');
