import { BaseModel } from '@mortise/plugin-sdk';

export class ReactionRow extends BaseModel {
  static override tableName = 'reaction';
  declare id: number;
  declare issue_id: number;
  /** 0: on the issue itself. */
  declare entry_id: number;
  declare user_id: number;
  /** Who reacted where it was imported from; empty: the account did. */
  declare original_author: string;
  declare content: string;
  declare created_at: number;
}
