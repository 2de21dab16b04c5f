import { defineJob } from '@mortise/plugin-sdk';

/** Looks at the objects of the repositories whose turn it is. */
export const checkObjects = defineJob<Record<string, never>>('git.checkObjects');
