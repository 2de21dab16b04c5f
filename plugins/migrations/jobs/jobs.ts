import { defineJob } from '@mortise/plugin-sdk';

/** Brings an import on its way to the end, or to a pause. */
export const runMigration = defineJob<{ readonly repositoryId: number }>('migrations.run');
/** Has those go on that nobody works at. */
export const resumeMigrations = defineJob<Record<string, never>>('migrations.resume');
