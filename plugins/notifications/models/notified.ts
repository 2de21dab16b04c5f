import { BaseModel } from '@mortise/plugin-sdk';

/** How far the telling of something has come. */
export class NotifiedRow extends BaseModel {
  static override tableName = 'notification_told';
  static override idColumn = 'what';
  declare what: string;
  declare last_user_id: number;
  declare told_at: number;
}
