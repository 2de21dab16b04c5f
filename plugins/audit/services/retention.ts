import { defineJob, type Database } from '@mortise/plugin-sdk';
import { EntryRow } from '../models/entry.js';

export const pruneEntries = defineJob<Record<string, never>>('audit.prune');

const day = 86_400_000;
/** Entries deleted in one transaction: others wait for it. */
const slice = 1000;

/** Deletes what is older than so many days; 0: nothing. Stops between two slices when the job must end. */
export async function prune(database: Database, days: number, signal: AbortSignal): Promise<void> {
  if (days === 0) return;
  const limit = Date.now() - days * day;
  while (!signal.aborted) {
    const ids = (
      await database.query(EntryRow).select('id').where('created_at', '<', limit).orderBy('created_at').limit(slice)
    ).map(({ id }) => id);
    if (ids.length === 0) return;
    await database.write(async () => void (await database.query(EntryRow).delete().whereIn('id', ids)));
  }
}
