import type { Database } from '@mortise/plugin-sdk';
import { RepositoryRow } from '../models/repository.js';

/**
 * First in a transaction that changes what belongs to a repository: waits for others that do, so that what is read
 * afterwards is what they left. An update, because that locks the row on every engine.
 */
export async function holdRow(database: Database, repositoryId: number): Promise<void> {
  await database.query(RepositoryRow).findById(repositoryId).increment('star_count', 0);
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
