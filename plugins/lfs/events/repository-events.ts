import type { Database } from '@mortise/plugin-sdk';
import { LockRow } from '../models/lock.js';
import { ObjectRow } from '../models/object.js';
import type { ObjectService } from '../services/object-service.js';

/** A fork has the objects of what it was made from; content is shared. */
export async function copyObjects(objects: ObjectService, from: number, to: number): Promise<void> {
  if (from) await objects.copyAll(from, to);
}

/** Deletes the objects and locks of a deleted repository. Content without an object is collected later. */
export async function forgetRepository(database: Database, repositoryId: number): Promise<void> {
  await database.query(ObjectRow).delete().where('repository_id', repositoryId);
  await database.query(LockRow).delete().where('repository_id', repositoryId);
}
