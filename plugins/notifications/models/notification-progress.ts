import { BaseModel } from '@mortise/plugin-sdk';

/** Up to which account, by their ids, the recipients of an event have been notified. */
export class NotificationProgressRow extends BaseModel {
  static override tableName = 'notification_progress';
  static override idColumn = 'event_key';
  declare event_key: string;
  declare last_user_id: number;
  declare updated_at: number;
}
