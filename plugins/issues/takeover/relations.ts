import { targetRow, type TableMapping } from '@mortise/plugin-sdk';
import { DependencyRow } from '../models/dependency.js';
import { MentionRow } from '../models/mention.js';
import { SubscriptionRow } from '../models/subscription.js';

const users = 'accounts.users';
const issues = 'issues.issues';

const dependencies: TableMapping = {
  id: 'issues.dependencies',
  table: 'issue_dependency',
  idTable: DependencyRow,
  references: { issue_id: issues, depends_on_id: issues, actor_id: { to: users, fallback: 0 } },
  ignored: ['updated_unix'],
  map: (row) =>
    targetRow(DependencyRow, {
      id: row.number('id'),
      issue_id: row.number('issue_id'),
      depends_on_id: row.number('dependency_id'),
      actor_id: row.number('user_id'),
      created_at: row.time('created_unix'),
    }),
};

/** There is a row for each who takes part; who has read what, notifications say. */
const mentions: TableMapping = {
  id: 'issues.mentions',
  table: 'issue_user',
  idTable: MentionRow,
  references: { issue_id: issues, user_id: users },
  ignored: ['is_read'],
  filter: (row) => row.flag('is_mentioned'),
  map: (row) =>
    targetRow(MentionRow, {
      id: row.number('id'),
      issue_id: row.number('issue_id'),
      user_id: row.number('uid'),
    }),
};

const subscriptions: TableMapping = {
  id: 'issues.subscriptions',
  table: 'issue_watch',
  idTable: SubscriptionRow,
  references: { issue_id: issues, user_id: users },
  ignored: ['updated_unix'],
  map: (row) =>
    targetRow(SubscriptionRow, {
      id: row.number('id'),
      issue_id: row.number('issue_id'),
      user_id: row.number('user_id'),
      is_subscribed: row.flag('is_watching'),
      created_at: row.time('created_unix'),
    }),
};

export const relationTables: readonly TableMapping[] = [dependencies, mentions, subscriptions];
