import { createHash } from 'node:crypto';
import {
  skippedRow,
  targetRow,
  type Database,
  type SourceRow,
  type TableMapping,
  type TakeoverContext,
} from '@mortise/plugin-sdk';
import { activityKinds } from '../contract/activity.js';
import { ActivityRow } from '../models/activity.js';
import { ReceiverRow } from '../models/receiver.js';

const users = 'accounts.users';
const maxRef = 1024;

/** An entry is stored there once for each user who gets it; the first is that of the one who acted. */
const isOwn = (row: SourceRow): boolean => row.number('user_id') === row.number('act_user_id');
/** `op_type` of Gogs above 15, where it counts in another way; for new branches and forks there is none here. */
const gogsKinds: Readonly<Record<number, (typeof activityKinds)[number]>> = {
  17: 'delete_branch',
  18: 'delete_tag',
  20: 'mirror_sync_push',
  21: 'mirror_sync_create',
  22: 'mirror_sync_delete',
};
const lastCommonType = 15;

function kindOf(row: SourceRow, { isGogs }: Pick<TakeoverContext, 'isGogs'>) {
  const type = row.number('op_type');
  return isGogs && type > lastCommonType ? gogsKinds[type] : activityKinds[type - 1];
}

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
  map(row, context) {
    const kind = kindOf(row, context);
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

/** What an entry here has in common with the rows there that it was made of. */
const keyOf = (values: readonly unknown[]): string => values.map(String).join(' ');

const entryKeyOf = (row: SourceRow, context: TakeoverContext): string =>
  keyOf([
    row.number('act_user_id'),
    kindOf(row, context) ?? '',
    row.number('repo_id'),
    row.number('comment_id'),
    row.time('created_unix'),
    row.text('ref_name', maxRef),
  ]);

/** Entries of a pass before, which was killed between them and those who get them. */
async function storedEntries(database: Database, rows: readonly SourceRow[]): Promise<Map<string, number>> {
  const entries = new Map<string, number>();
  for (let at = 0; at < rows.length; at += maxLookedUp) {
    const found = await database
      .query(ActivityRow)
      .select('id', 'actor_id', 'kind', 'repository_id', 'comment_id', 'created_at', 'ref')
      .whereIn(
        ['actor_id', 'repository_id', 'created_at'],
        rows
          .slice(at, at + maxLookedUp)
          .map((row) => [row.number('act_user_id'), row.number('repo_id'), row.time('created_unix')]),
      )
      .orderBy('id', 'desc')
      .limit(maxEntries);
    for (const entry of found) {
      const { actor_id, kind, repository_id, comment_id, created_at, ref } = entry;
      entries.set(keyOf([actor_id, kind, repository_id, comment_id, Number(created_at), ref]), entry.id);
    }
  }
  return entries;
}
/** Rows that one query names, and entries that it gives, at most. */
const maxLookedUp = 100;
const maxEntries = 5000;

const receivers = (database: Database): TableMapping => {
  const recent = new RecentActivities();
  let stored = new Map<string, number>();
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
    async preparePage(rows) {
      const own = new Set(rows.filter(isOwn).map(eventOf));
      const isMissing = (event: string) => !own.has(event) && recent.find(event) === undefined;
      stored = await storedEntries(
        database,
        rows.filter((row) => isMissing(eventOf(row))),
      );
    },
    map(row, context) {
      const event = eventOf(row);
      if (isOwn(row)) recent.remember(event, row.number('id'));
      const activity = recent.find(event) ?? stored.get(entryKeyOf(row, context));
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
