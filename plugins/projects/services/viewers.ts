import type { QueryBuilder } from 'objection';
import { upsertRowPipelined, type Cache, type Channels, type Database, type QueryCache } from '@mortise/plugin-sdk';
import { CardRow } from '../models/card.js';
import { ViewerRow } from '../models/viewer.js';

/** The channel of boards, and the name by which pages know the event. */
export const boardChannel = 'project-changed';

/** How long a page that was opened counts as open; pages that stay open say so again before. */
const openFor = 12 * 60 * 60 * 1000;
/** Users whom one change reaches at once, and boards that one issue refreshes. */
const maxViewers = 500;
const maxBoards = 100;

/** Users who have a board open: their pages hear of changes at once. */
export class BoardViewers {
  readonly #recent: QueryCache<readonly ViewerRow[]>;

  constructor(
    private readonly deps: { readonly cache: Cache; readonly database: Database; readonly channels: Channels },
  ) {
    this.#recent = deps.cache.query('projects.viewers', { max: 1000 });
  }

  /** A signed-in user looks at the board now. */
  record(projectId: number, userId: number, at = Date.now()): Promise<void> {
    const { database } = this.deps;
    const columns = { project_id: projectId, user_id: userId, seen_at: at };
    return database.write(() => upsertRowPipelined(database, ViewerRow, ['project_id', 'user_id'], columns));
  }

  /** In a transaction that changes a board: refreshes open pages of it when that has committed. `issueId`: for who may read that. */
  notify(projectId: number, issueId?: number): void {
    this.deps.database.afterCommit(async () => {
      // most boards are open nowhere: while nobody opens one, nothing is asked
      const rows = await this.#recent.load(String(projectId), () =>
        this.#rows((viewers) => viewers.where('project_id', projectId)),
      );
      await this.#publish(rows, issueId);
    });
  }

  /** The same for all boards that show an issue, such as its title or labels. */
  notifyOfIssue(issueId: number): void {
    const boards = CardRow.query().select('project_id').where({ issue_id: issueId, is_archived: false });
    this.deps.database.afterCommit(async () =>
      this.#publish(await this.#rows((viewers) => viewers.whereIn('project_id', boards)), issueId),
    );
  }

  async #rows(narrow: (viewers: QueryBuilder<ViewerRow>) => QueryBuilder<ViewerRow>): Promise<readonly ViewerRow[]> {
    return narrow(this.deps.database.query(ViewerRow)).orderBy('seen_at', 'desc').limit(maxViewers);
  }

  async #publish(rows: readonly ViewerRow[], issueId?: number): Promise<void> {
    const boards = new Map<number, number[]>();
    for (const { project_id: projectId, user_id: userId, seen_at: seenAt } of rows)
      if (Number(seenAt) > Date.now() - openFor) boards.set(projectId, [...(boards.get(projectId) ?? []), userId]);
    for (const [projectId, userIds] of [...boards].slice(0, maxBoards))
      await this.deps.channels.publish(boardChannel, { userIds }, { projectId, issueId });
  }

  /** In the transaction in which an account goes. */
  async forget(userId: number): Promise<void> {
    await this.deps.database.query(ViewerRow).delete().where('user_id', userId);
  }
}
