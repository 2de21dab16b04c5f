import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BadRequest, type Backups, type Database } from '@mortise/plugin-sdk';

/** The lock that a running back-up holds. */
export const backupLock = 'core.backup';

/** Asked at each deletion only, so the row is read each time. */
export function createBackups(database: Pick<Database, 'knex'>): Backups {
  return {
    async isRunning() {
      const row = await database
        .knex()('lock')
        .where({ name: backupLock })
        .first<{ held_until: number } | undefined>('held_until');
      return row !== undefined && row.held_until > Date.now();
    },
  };
}

/** Lies in a work folder as long as a restore into it has not ended. */
export const unfinishedName = '.restore-unfinished';

/** Throws when a restore into the work folder began and did not end. */
export function checkRestored(workDir: string): void {
  if (existsSync(join(workDir, unfinishedName)))
    throw BadRequest(`a restore into ${workDir} did not end: run mortise restore again`);
}
