import { IssueUserRow } from './issue-user.js';

export class AssigneeRow extends IssueUserRow {
  static override tableName = 'issue_assignee';
}
