import { BaseModel } from '@mortise/plugin-sdk';

/** Somebody has stopped watching a repository. */
export class DeclinedWatchRow extends BaseModel {
  static override tableName = 'declined_watch';
  declare id: number;
  declare repository_id: number;
  declare user_id: number;
}
