import { rowWith, type Cache, type Database, type QueryCache } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Project } from '../api.js';
import { FollowerRow } from '../models/follower.js';
import type { ProjectPlaces } from './places.js';

/** Followers of one board who are notified of one change. */
const maxFollowers = 1000;

/** Users who follow boards, to be notified of what happens there. Does not check permissions; callers must. */
export class BoardFollowers {
  readonly #ids: QueryCache<readonly number[]>;

  constructor(
    private readonly deps: {
      readonly accounts: Pick<Accounts, 'byIds' | 'actorOf'>;
      readonly cache: Cache;
      readonly database: Database;
      readonly places: Pick<ProjectPlaces, 'ofProject'>;
    },
  ) {
    this.#ids = deps.cache.query('projects.followers', { max: 1000 });
  }

  async follows(projectId: number, userId: number): Promise<boolean> {
    const key = { project_id: projectId, user_id: userId };
    return (await rowWith(this.deps.database, FollowerRow, key)) !== undefined;
  }

  follow(projectId: number, userId: number): Promise<void> {
    const { database } = this.deps;
    return database.write(async () => {
      await database
        .knex()(FollowerRow.tableName)
        .insert({ project_id: projectId, user_id: userId, created_at: Date.now() })
        .onConflict(['project_id', 'user_id'])
        .ignore();
    });
  }

  unfollow(projectId: number, userId: number): Promise<void> {
    const { database } = this.deps;
    return database.write(async () => {
      await database.query(FollowerRow).delete().where({ project_id: projectId, user_id: userId });
    });
  }

  /** False where it is known, without a statement, that nobody follows the board. */
  mayBeFollowed(projectId: number): boolean {
    return this.#ids.peek(String(projectId))?.length !== 0;
  }

  /** Followers who may still see the board. */
  async readers(project: Project): Promise<number[]> {
    const { accounts, database, places } = this.deps;
    const ids = await this.#ids.load(String(project.id), async () => {
      const rows = database.query(FollowerRow).where('project_id', project.id).orderBy('id').limit(maxFollowers);
      return (await rows).map((row) => row.user_id);
    });
    const readers: number[] = [];
    if (!ids.length) return readers;
    for (const account of (await accounts.byIds(ids)).values()) {
      const place = await places.ofProject(accounts.actorOf(account, 'projects'), project);
      if (place?.may('read')) readers.push(account.id);
    }
    return readers;
  }

  /** In the transaction in which an account goes. */
  async forget(userId: number): Promise<void> {
    await this.deps.database.query(FollowerRow).delete().where('user_id', userId);
  }
}
