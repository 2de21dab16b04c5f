import { BaseModel } from '@mortise/plugin-sdk';

/** The highest number that was given in a repository. */
export class NumberRow extends BaseModel {
  static override tableName = 'issue_number';
  static override idColumn = 'repository_id';
  declare repository_id: number;
  declare last: number;
}

class PersonRow extends BaseModel {
  declare id: number;
  declare issue_id: number;
  declare user_id: number;
}

export class AssigneeRow extends PersonRow {
  static override tableName = 'issue_assignee';
}

export class MentionRow extends PersonRow {
  static override tableName = 'issue_mention';
}

export class SubscriptionRow extends PersonRow {
  static override tableName = 'issue_subscription';
  static override booleans = ['is_subscribed'];
  declare is_subscribed: boolean;
  declare created_at: number;
}
