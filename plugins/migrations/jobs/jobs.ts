import { defineJob } from '@mortise/plugin-sdk';

/** Brings an import on its way to the end, or to a pause. */
export const runImport = defineJob<{ readonly repositoryId: number }>('migrations.run');
/** Queues imports again whose worker died. */
export const resumeImports = defineJob<Record<string, never>>('migrations.resume');
