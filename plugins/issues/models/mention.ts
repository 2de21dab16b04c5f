import { IssueUserRow } from './issue-user.js';

export class MentionRow extends IssueUserRow {
  static override tableName = 'issue_mention';
}
