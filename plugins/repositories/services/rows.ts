import { Conflict, NotFound, type Database } from '@mortise/plugin-sdk';
import type { Repository } from '../api.js';
import { RepositoryRow, toRepository } from '../models/repository.js';
import { t } from '../texts/index.js';

/**
 * First in a transaction that changes what belongs to a repository: waits for others that do, so that what is read
 * afterwards is what they left. An update, because that locks the row on every engine. NotFound when it is gone.
 */
export async function holdRow(database: Database, repositoryId: number): Promise<void> {
  const held = await database.query(RepositoryRow).findById(repositoryId).increment('star_count', 0);
  if (!held) throw NotFound('repository');
}

/** Holds the row and gives the repository as it is now; Conflict when it belongs to another than who was asked. */
export async function holdPresent(database: Database, seen: Repository): Promise<Repository> {
  await holdRow(database, seen.id);
  const row = await database.query(RepositoryRow).findById(seen.id);
  if (!row) throw NotFound('repository');
  if (row.owner_id !== seen.ownerId) throw Conflict(t.later('error.transferred'));
  return toRepository(row);
}

/** Is this what an engine says when a unique index refuses a row? */
function isDuplicate(error: unknown): boolean {
  let one = error as { code?: unknown; nativeError?: unknown } | undefined;
  for (; one; one = one.nativeError as typeof one)
    if (/^(ER_DUP_ENTRY|SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY))$/.test(String(one.code ?? ''))) return true;
  return false;
}

/** Once more when somebody else stored the same row a moment before: then it is found. */
export async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 3; ; tries--) {
    try {
      return await work();
    } catch (error) {
      if (tries === 0 || !isDuplicate(error)) throw error;
    }
  }
}
