import { targetRow, type TableMapping } from '@mortise/plugin-sdk';
import { StopwatchRow } from '../models/stopwatch.js';
import { TimeRow } from '../models/time.js';

const issues = 'issues.issues';
const users = 'accounts.users';
const maxSeconds = 2 ** 31 - 1;

const times: TableMapping = {
  id: 'time-tracking.times',
  table: 'tracked_time',
  idTable: TimeRow,
  references: { issue_id: issues, user_id: { to: users, fallback: 0 } },
  related: { issue: { table: 'issue', column: 'id', localColumn: 'issue_id', columns: ['repo_id'] } },
  map: (row) =>
    targetRow(TimeRow, {
      id: row.number('id'),
      issue_id: row.number('issue_id'),
      repository_id: row.related('issue')[0]?.number('repo_id') ?? 0,
      user_id: row.number('user_id'),
      seconds: Math.min(maxSeconds, Math.max(0, row.number('time'))),
      is_deleted: row.flag('deleted'),
      created_at: row.time('created_unix'),
    }),
};

const stopwatches: TableMapping = {
  id: 'time-tracking.stopwatches',
  table: 'stopwatch',
  idTable: StopwatchRow,
  references: { issue_id: issues, user_id: users },
  map: (row) =>
    targetRow(StopwatchRow, {
      id: row.number('id'),
      issue_id: row.number('issue_id'),
      user_id: row.number('user_id'),
      started_at: row.time('created_unix'),
    }),
};

export const tables: readonly TableMapping[] = [times, stopwatches];
