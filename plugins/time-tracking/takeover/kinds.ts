import { takenRow, type TakeoverKind } from '@mortise/plugin-sdk';
import { StopwatchRow } from '../models/stopwatch.js';
import { TimeRow } from '../models/time.js';

const issues = 'issues.issues';
const users = 'accounts.users';
const maxSeconds = 2 ** 31 - 1;

const times: TakeoverKind = {
  id: 'time-tracking.times',
  table: 'tracked_time',
  references: { issue_id: issues, user_id: { kind: users, otherwise: 0 } },
  related: { issue: { table: 'issue', column: 'id', of: 'issue_id', columns: ['repo_id'] } },
  map: (row) =>
    takenRow(TimeRow, {
      id: row.number('id'),
      issue_id: row.number('issue_id'),
      repository_id: row.related('issue')[0]?.number('repo_id') ?? 0,
      user_id: row.number('user_id'),
      seconds: Math.min(maxSeconds, Math.max(0, row.number('time'))),
      is_deleted: row.flag('deleted'),
      created_at: row.time('created_unix'),
    }),
};

const stopwatches: TakeoverKind = {
  id: 'time-tracking.stopwatches',
  table: 'stopwatch',
  references: { issue_id: issues, user_id: users },
  map: (row) =>
    takenRow(StopwatchRow, {
      id: row.number('id'),
      issue_id: row.number('issue_id'),
      user_id: row.number('user_id'),
      started_at: row.time('created_unix'),
    }),
};

export const kinds: readonly TakeoverKind[] = [times, stopwatches];
