import { IssueUserRow } from './issue-user.js';

export class SubscriptionRow extends IssueUserRow {
  static override tableName = 'issue_subscription';
  static override booleans = ['is_subscribed'];
  declare is_subscribed: boolean;
  declare created_at: number;
}
