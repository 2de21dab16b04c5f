import { createHash } from 'node:crypto';
import { skippedRow, targetRow, type Database, type SourceRow, type TableMapping } from '@mortise/plugin-sdk';
import { activityKinds } from '../contract/activity.js';
import { ActivityRow } from '../models/activity.js';
import { ReceiverRow } from '../models/receiver.js';

const users = 'accounts.users';
const maxRef = 1024;

/** An entry is stored there once for each user who gets it; the first is that of the one who acted. */
const isOwn = (row: SourceRow): boolean => row.number('user_id') === row.number('act_user_id');
const kindOf = (row: SourceRow) => activityKinds[row.number('op_type') - 1];

/** Digest of what rows of one entry have in common. */
const eventOf = (row: SourceRow): string => {
  const common = JSON.stringify([
    row.number('act_user_id'),
    row.number('op_type'),
    row.number('repo_id'),
    row.number('comment_id'),
    row.text('ref_name'),
    row.text('content'),
    row.number('created_unix'),
  ]);
  return createHash('sha256').update(common).digest('base64url');
};

const commonColumns = (row: SourceRow) => ({
  actor_id: row.number('act_user_id'),
  repository_id: row.number('repo_id'),
  is_private: row.flag('is_private'),
  is_part: false,
  created_at: row.time('created_unix'),
});

const activities: TableMapping = {
  id: 'activity.activities',
  table: 'action',
  idTable: ActivityRow,
  // that of the repository
  derived: ['is_private'],
  references: { actor_id: users, repository_id: 'repositories.repositories' },
  filter: (row) => isOwn(row) && !row.flag('is_deleted'),
  map(row) {
    const kind = kindOf(row);
    if (!kind) return skippedRow(`it is an action of the unknown kind ${row.number('op_type')}`);
    return targetRow(ActivityRow, {
      id: row.number('id'),
      ...commonColumns(row),
      kind,
      ref: row.text('ref_name', maxRef),
      content: row.text('content'),
      comment_id: row.number('comment_id'),
    });
  },
};

/** Rows of an entry are written one after the other, so it is among the last ones. */
const maxRemembered = 5000;

class RecentActivities {
  readonly #ids = new Map<string, number>();

  remember(event: string, id: number): void {
    this.#ids.delete(event);
    this.#ids.set(event, id);
    for (const first of this.#ids.keys()) {
      if (this.#ids.size <= maxRemembered) break;
      this.#ids.delete(first);
    }
  }

  find(event: string): number | undefined {
    return this.#ids.get(event);
  }
}

const receivers = (database: Database): TableMapping => {
  const recent = new RecentActivities();
  /** Of a pass before, which was killed between the two. */
  const storedId = async (row: SourceRow): Promise<number | undefined> => {
    const activity = await database
      .query(ActivityRow)
      .select('id')
      .findOne({
        actor_id: row.number('act_user_id'),
        kind: kindOf(row) ?? '',
        repository_id: row.number('repo_id'),
        comment_id: row.number('comment_id'),
        ref: row.text('ref_name', maxRef),
        created_at: row.time('created_unix'),
      });
    return activity?.id;
  };
  return {
    id: 'activity.receivers',
    table: 'action',
    idTable: ReceiverRow,
    derived: ['is_private'],
    references: {
      user_id: users,
      activity_id: 'activity.activities',
    },
    filter: (row) => !row.flag('is_deleted'),
    async map(row) {
      const event = eventOf(row);
      if (isOwn(row)) recent.remember(event, row.number('id'));
      const activity = recent.find(event) ?? (await storedId(row));
      if (activity === undefined) return skippedRow('the entry of the one who acted is missing');
      return targetRow(ReceiverRow, {
        id: row.number('id'),
        user_id: row.number('user_id'),
        activity_id: activity,
        ...commonColumns(row),
        owner_id: 0,
      });
    },
  };
};

export const tables = (database: Database): readonly TableMapping[] => [activities, receivers(database)];
