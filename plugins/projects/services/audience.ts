import { putRowLater, type Channels, type Database } from '@mortise/plugin-sdk';
import { ViewerRow } from '../models/viewer.js';

/** The channel of boards, and the name by which pages know the event. */
export const boardChannel = 'project-changed';

/** How long a page that was opened counts as open; pages that stay open say so again before. */
const openFor = 12 * 60 * 60 * 1000;
/** Whom one move is told to at once. */
const maxViewers = 500;

/** Who has a board open: moves are told to their pages at once. */
export class BoardAudience {
  constructor(private readonly deps: { readonly database: Database; readonly channels: Channels }) {}

  /** Somebody who is signed in looks at the board now. */
  seen(projectId: number, userId: number, at = Date.now()): Promise<void> {
    const { database } = this.deps;
    const columns = { project_id: projectId, user_id: userId, seen_at: at };
    return database.write(() => putRowLater(database, ViewerRow, ['project_id', 'user_id'], columns));
  }

  /** In a transaction that changes a board: tells open pages of it when that has committed. */
  tell(projectId: number): void {
    const { database, channels } = this.deps;
    database.afterCommit(async () => {
      const rows = await database
        .query(ViewerRow)
        .select('user_id')
        .where('project_id', projectId)
        .where('seen_at', '>', Date.now() - openFor)
        .orderBy('seen_at', 'desc')
        .limit(maxViewers);
      const userIds = rows.map((row) => row.user_id);
      if (userIds.length) await channels.publish(boardChannel, { userIds }, { projectId });
    });
  }

  /** In the transaction in which an account goes. */
  async forget(userId: number): Promise<void> {
    await this.deps.database.query(ViewerRow).delete().where('user_id', userId);
  }
}
