import { anonymous, insertRow, insertWith, rowWith, type Actor, type Database } from '@mortise/plugin-sdk';
import type { Repositories, Repository, RepositoryMembers } from '@mortise/repositories/api';
import type { NewActivity } from '../contract/activity.js';
import { ActivityRow } from '../models/activity.js';
import { ReceiverRow } from '../models/receiver.js';

interface Deps {
  readonly database: Database;
  readonly repositories: Repositories;
  readonly users: RepositoryMembers;
}

/** Rows in one statement; both engines take that many values. */
const batch = 200;
const fewReceivers = 10;

/** Not for everybody's eyes: feeds of others leave it out. */
export const isPrivate = (repository: Repository): boolean =>
  repository.isPrivate || repository.ownerVisibility !== 'public';

/** Writes what happened, and in whose feeds it is told. SQL only. */
export class Recorder {
  constructor(private readonly deps: Deps) {}

  async record(given: NewActivity): Promise<void> {
    const { database, repositories, users } = this.deps;
    await database.write(async () => {
      if (given.actorId <= 0) return;
      const [repository, watchers] = await Promise.all([
        repositories.byId(given.repositoryId),
        users.watchers(given.repositoryId),
      ]);
      if (!repository) return;
      if (given.onceKey && (await rowWith(database, ActivityRow, { once_key: given.onceKey }))) return;
      const common = {
        actor_id: given.actorId,
        repository_id: given.repositoryId,
        is_private: isPrivate(repository),
        created_at: given.at ?? Date.now(),
        is_part: given.isPart ?? false,
      };
      const columns = {
        ...common,
        kind: given.kind,
        ref: (given.ref ?? '').slice(0, 1024),
        content: given.content ?? '',
        comment_id: given.commentId ?? 0,
        once_key: given.onceKey ?? null,
        push: given.push ? JSON.stringify(given.push) : null,
      };
      const receivers = [...new Set([given.actorId, repository.ownerId, ...watchers])];
      const rows = receivers.map((user_id) => ({ ...common, user_id }));
      // some texts of statements, and not one for each number of people
      if (rows.length <= fewReceivers) {
        await insertWith(database, ActivityRow, columns, { table: ReceiverRow, rows, column: 'activity_id' });
        return;
      }
      const activity_id = await insertRow(database, ActivityRow, columns);
      for (let at = 0; at < rows.length; at += batch)
        await database
          .knex()(ReceiverRow.tableName)
          .insert(rows.slice(at, at + batch).map((row) => ({ ...row, activity_id })));
    });
  }

  /** The repository became private or public; so does what is told about it. */
  async follow(repositoryId: number): Promise<void> {
    const { database, repositories } = this.deps;
    const repository = await repositories.byId(repositoryId);
    if (!repository) return;
    const now = isPrivate(repository);
    const other = await database.query(ActivityRow).findOne({ repository_id: repositoryId, is_private: !now });
    if (!other) return;
    await database.query(ActivityRow).where('repository_id', repositoryId).patch({ is_private: now });
    await database.query(ReceiverRow).where('repository_id', repositoryId).patch({ is_private: now });
  }

  /** The owner is seen by more people or by fewer; so is what is told about its repositories. */
  async followOwner(ownerId: number): Promise<void> {
    const everything: Actor = { ...anonymous, kind: 'user', isAdmin: true };
    for (let offset = 0; ; offset += batch) {
      const { items } = await this.deps.repositories.search({ ownerId, limit: batch, offset }, everything);
      for (const repository of items) await this.follow(repository.id);
      if (items.length < batch) return;
    }
  }

  async forget(repositoryId: number): Promise<void> {
    const { database } = this.deps;
    await database.query(ReceiverRow).delete().where('repository_id', repositoryId);
    await database.query(ActivityRow).delete().where('repository_id', repositoryId);
  }
}
