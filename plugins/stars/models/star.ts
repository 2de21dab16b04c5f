import { BaseModel } from '@mortise/plugin-sdk';

/** What stars and watches have in common. */
export class MarkRow extends BaseModel {
  declare id: number;
  declare repository_id: number;
  declare user_id: number;
  declare created_at: number;
}

export class StarRow extends MarkRow {
  static override tableName = 'star';
  static override booleans = ['is_public'];
  /** Of a repository that everybody may see. */
  declare is_public: boolean;
}
