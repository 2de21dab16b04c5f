import { BaseModel } from '@mortise/plugin-sdk';

/** A name that an account had before; leads to its present name (GEN-06). */
export class RedirectRow extends BaseModel {
  static override tableName = 'user_redirect';
  static override idColumn = 'lower_name';
  declare lower_name: string;
  declare user_id: number;
}
