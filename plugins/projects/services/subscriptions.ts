import type { Cache, Database, QueryCache } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Project } from '../contract/projects.js';
import { SubscriptionRow } from '../models/subscription.js';
import type { ProjectReaders } from './readers.js';

/** Subscribers who are notified at once. */
const batchSize = 500;

/** Some subscribers of a board, of whom only those count who may still see it. */
interface SubscriberBatch {
  readonly userIds: readonly number[];
  /** Where the next batch begins; undefined: this was the last. */
  readonly next: number | undefined;
}

/** Users who are notified of what happens on boards. Does not check permissions; callers must. */
export class ProjectSubscriptions {
  readonly #used: QueryCache<boolean>;

  constructor(
    private readonly deps: {
      readonly accounts: Pick<Accounts, 'byIds'>;
      readonly cache: Cache;
      readonly database: Database;
      readonly readers: ProjectReaders;
    },
  ) {
    this.#used = deps.cache.query('projects.subscriptions');
  }

  async isSubscribed(projectId: number, userId: number): Promise<boolean> {
    const key = { project_id: projectId, user_id: userId };
    return (await this.deps.database.query(SubscriptionRow).findOne(key)) !== undefined;
  }

  subscribe(projectId: number, userId: number): Promise<void> {
    const { database } = this.deps;
    return database.write(async () => {
      await database
        .knex()(SubscriptionRow.tableName)
        .insert({ project_id: projectId, user_id: userId, created_at: Date.now() })
        .onConflict(['project_id', 'user_id'])
        .ignore();
    });
  }

  unsubscribe(projectId: number, userId: number): Promise<void> {
    const { database } = this.deps;
    return database.write(async () => {
      await database.query(SubscriptionRow).delete().where({ project_id: projectId, user_id: userId });
    });
  }

  /** False where it is known, without a statement, that the board has no subscribers. */
  mayHaveSubscribers(projectId: number): boolean {
    return this.#used.peek(String(projectId)) !== false;
  }

  /** `after`: where the batch begins; 0: at the first. */
  async batch(project: Project, after: number): Promise<SubscriberBatch> {
    const { accounts, database, readers } = this.deps;
    const rowsAfter = (id: number, limit: number) =>
      database
        .query(SubscriptionRow)
        .where('project_id', project.id)
        .where('id', '>', id)
        .orderBy('id')
        .limit(limit)
        .execute();
    const isUsed = await this.#used.load(String(project.id), async () => (await rowsAfter(0, 1)).length > 0);
    const rows = isUsed ? await rowsAfter(after, batchSize) : [];
    const next = rows.length === batchSize ? rows.at(-1)!.id : undefined;
    if (!rows.length) return { userIds: [], next };
    const users = [...(await accounts.byIds(rows.map((row) => row.user_id))).values()];
    return { userIds: [...(await readers.among(users, project))], next };
  }

  /** In the transaction in which an account goes. */
  async forget(userId: number): Promise<void> {
    await this.deps.database.query(SubscriptionRow).delete().where('user_id', userId);
  }
}
