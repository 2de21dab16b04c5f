import { BaseModel } from '@mortise/plugin-sdk';

/** One row of `saved_reply`: a text that a user writes again and again. */
export class SavedReplyRow extends BaseModel {
  static override tableName = 'saved_reply';
  declare id: number;
  declare user_id: number;
  declare title: string;
  declare text: string;
}
