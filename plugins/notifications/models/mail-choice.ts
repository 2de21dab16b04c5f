import { BaseModel } from '@mortise/plugin-sdk';

/** How an account wants mail. */
export class MailChoiceRow extends BaseModel {
  static override tableName = 'notification_mail_choice';
  static override idColumn = 'user_id';
  declare user_id: number;
  declare mail: string;
}
