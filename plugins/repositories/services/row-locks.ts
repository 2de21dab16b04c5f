import { Conflict, NotFound, type Database } from '@mortise/plugin-sdk';
import type { Repository } from '../api.js';
import { RepositoryRow, toRepository } from '../models/repository.js';
import { t } from '../texts/index.js';

/** By the handle of an open transaction of MySQL: the repositories that it holds until its end. */
const held = new WeakMap<object, Map<number, Promise<void>>>();

/**
 * First in a transaction that changes what belongs to a repository: waits for others that do, so that what is read
 * afterwards is what they left. On SQLite there is one transaction that writes at a time. NotFound when it is gone.
 */
export async function lockRepositoryRow(database: Database, repositoryId: number): Promise<void> {
  if (database.engine !== 'mysql' || !database.inTransaction()) return lockRow(database, repositoryId);
  // several writes may share a transaction, and each of them asks
  const transaction = database.knex();
  const own = held.get(transaction) ?? new Map<number, Promise<void>>();
  held.set(transaction, own);
  const known = own.get(repositoryId);
  if (known) return known;
  const locking = lockRow(database, repositoryId);
  own.set(repositoryId, locking);
  await locking.catch((error: unknown) => {
    own.delete(repositoryId);
    throw error;
  });
}

async function lockRow(database: Database, repositoryId: number): Promise<void> {
  const row = await database.rows.findOne(RepositoryRow, { id: repositoryId }, { columns: ['id'], forUpdate: true });
  if (!row) throw NotFound('repository');
}

/** Holds the row and gives the repository as it is now; Conflict when it belongs to another than who was asked. */
export async function lockPresentRow(database: Database, seen: Repository): Promise<Repository> {
  await lockRepositoryRow(database, seen.id);
  const row = await database.query(RepositoryRow).findById(seen.id);
  if (!row) throw NotFound('repository');
  if (row.owner_id !== seen.ownerId) throw Conflict(t.later('error.transferred'));
  return toRepository(row);
}
