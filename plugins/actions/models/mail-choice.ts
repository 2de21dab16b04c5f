import { BaseModel } from '@mortise/plugin-sdk';

/** Of which runs an account wants mail. */
export class MailChoiceRow extends BaseModel {
  static override tableName = 'action_mail_choice';
  static override idColumn = 'user_id';
  declare user_id: number;
  declare choice: string;
}
