import { anonymous, type Actor, type Database } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { Repositories, Repository, RepositoryMembers } from '@mortise/repositories/api';
import type { NewActivity } from '../contract/activity.js';
import { ActivityRow } from '../models/activity.js';
import { ReceiverRow } from '../models/receiver.js';

interface Deps {
  readonly accounts: Pick<Accounts, 'byId'>;
  readonly database: Database;
  readonly repositories: Repositories;
  readonly users: RepositoryMembers;
}

/** Rows in one statement; both engines take that many values. */
const batch = 200;
const fewReceivers = 10;
/** Entries deleted in one transaction: others wait for it. */
const forgottenAtOnce = 500;

/** Not for everybody's eyes: feeds of others leave it out. */
const isPrivate = (repository: Repository): boolean => repository.isPrivate || repository.ownerVisibility !== 'public';

/** The same of what an account owns without a repository. */
const isPrivateAccount = ({ visibility }: Account): boolean => visibility !== 'public';

/** What an entry is about, and who has it in their feeds beside the actor. */
interface Subject {
  readonly repository_id: number;
  readonly owner_id: number;
  readonly is_private: boolean;
  readonly followers: readonly number[];
}

/** Writes what happened, and in whose feeds it is told. SQL only. */
export class Recorder {
  constructor(private readonly deps: Deps) {}

  async record(given: NewActivity): Promise<void> {
    const { database } = this.deps;
    await database.write(async () => {
      if (given.actorId <= 0) return;
      const subject = await this.#subjectOf(given);
      if (!subject) return;
      if (given.onceKey && (await database.rows.findOne(ActivityRow, { once_key: given.onceKey }))) return;
      const { followers, ...about } = subject;
      const common = {
        ...about,
        actor_id: given.actorId,
        created_at: given.at ?? Date.now(),
        is_part: given.isPart ?? false,
      };
      const columns = {
        ...common,
        repository_id: about.repository_id || null,
        owner_id: about.owner_id || null,
        kind: given.kind,
        ref: (given.ref ?? '').slice(0, 1024),
        content: given.content ?? '',
        comment_id: given.commentId ?? 0,
        once_key: given.onceKey ?? null,
        push: given.push ? JSON.stringify(given.push) : null,
      };
      const receivers = [...new Set([given.actorId, ...followers])];
      const rows = receivers.map((user_id) => ({ ...common, user_id }));
      // some texts of statements, and not one for each number of people
      if (rows.length <= fewReceivers) {
        await database.rows.insertWith(ActivityRow, columns, { table: ReceiverRow, rows, column: 'activity_id' });
        return;
      }
      const activity_id = await database.rows.insert(ActivityRow, columns);
      for (let at = 0; at < rows.length; at += batch)
        await database
          .knex()(ReceiverRow.tableName)
          .insert(rows.slice(at, at + batch).map((row) => ({ ...row, activity_id })));
    });
  }

  /** Undefined: the repository or the account is gone. */
  async #subjectOf({ repositoryId = 0, ownerId = 0 }: NewActivity): Promise<Subject | undefined> {
    const { accounts, repositories, users } = this.deps;
    if (!repositoryId) {
      const owner = await accounts.byId(ownerId);
      return (
        owner && { repository_id: 0, owner_id: ownerId, is_private: isPrivateAccount(owner), followers: [ownerId] }
      );
    }
    const [repository, watchers] = await Promise.all([repositories.byId(repositoryId), users.watchers(repositoryId)]);
    return (
      repository && {
        repository_id: repositoryId,
        owner_id: 0,
        is_private: isPrivate(repository),
        followers: [repository.ownerId, ...watchers],
      }
    );
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

  /** The owner is seen by more users or by fewer; so is what happened to it and in its repositories. */
  async followOwner(ownerId: number): Promise<void> {
    const { accounts, database } = this.deps;
    const owner = await accounts.byId(ownerId);
    if (owner) {
      const is_private = isPrivateAccount(owner);
      await database.query(ActivityRow).where('owner_id', ownerId).patch({ is_private });
      await database.query(ReceiverRow).where('owner_id', ownerId).patch({ is_private });
    }
    const everything: Actor = { ...anonymous, kind: 'user', isAdmin: true };
    for (let offset = 0; ; offset += batch) {
      const { items } = await this.deps.repositories.search({ ownerId, limit: batch, offset }, everything);
      for (const repository of items) await this.follow(repository.id);
      if (items.length < batch) return;
    }
  }

  /** Deletes what happened before this time, in milliseconds; stops between two slices when the job must end. */
  async forgetBefore(time: number, signal: AbortSignal): Promise<void> {
    const { database } = this.deps;
    // the oldest come first by their ids, except where another server was taken over
    const old = () =>
      database.query(ActivityRow).select('id').where('created_at', '<', time).orderBy('id').limit(forgottenAtOnce);
    for (let rows = await old(); rows.length > 0 && !signal.aborted; rows = await old()) {
      const ids = rows.map(({ id }) => id);
      await database.write(async () => {
        await database.query(ReceiverRow).delete().whereIn('activity_id', ids);
        await database.query(ActivityRow).delete().whereIn('id', ids);
      });
    }
  }

  async forget(repositoryId: number): Promise<void> {
    const { database } = this.deps;
    await database.query(ReceiverRow).delete().where('repository_id', repositoryId);
    await database.query(ActivityRow).delete().where('repository_id', repositoryId);
  }
}
