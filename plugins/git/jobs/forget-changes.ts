import { defineJob, type Database } from '@mortise/plugin-sdk';
import { FormerTips } from '../services/former-tips.js';
import { GitChange } from '../models/git-change.js';

export const forgetChanges = defineJob<Record<string, never>>('git.forgetChanges');

/** A journal is repaired within minutes; a week is far beyond that. */
const maxAgeMs = 7 * 24 * 3600 * 1000;

export async function forgetOldChanges(database: Database): Promise<void> {
  await database.write(async () => {
    await database
      .query(GitChange)
      .delete()
      .where('created_at', '<', Date.now() - maxAgeMs);
  });
  await new FormerTips(database).forgetOld();
}
