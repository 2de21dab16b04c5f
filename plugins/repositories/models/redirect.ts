import { BaseModel } from '@mortise/plugin-sdk';

/** A path that a repository had before; leads to its present one (GEN-06). */
export class RedirectRow extends BaseModel {
  static override tableName = 'repository_redirect';
  declare id: number;
  declare owner_id: number;
  declare lower_name: string;
  declare repository_id: number;
}
