import { defineJob } from '@mortise/plugin-sdk';

/** Counts who contributed what to the default branch. */
export const countContributions = defineJob<{ repositoryId: number }>('insights.countContributions');
