import { BaseModel } from '@mortise/plugin-sdk';

/** A question that was answered, rightly or not; kept until it would have ended anyway. */
export class UseRow extends BaseModel {
  static override tableName = 'captcha_use';
  declare id: string;
  declare expires_at: number;
}
