import { BaseModel } from '@mortise/plugin-sdk';

export const hidingReasons = ['off-topic', 'outdated', 'resolved', 'spam', 'duplicate'] as const;
export type HidingReason = (typeof hidingReasons)[number];

export class HiddenCommentRow extends BaseModel {
  static override tableName = 'hidden_comment';
  static override idColumn = 'entry_id';
  declare entry_id: number;
  declare issue_id: number;
  declare reason: HidingReason;
  declare hider_id: number;
  declare hidden_at: number;
}
