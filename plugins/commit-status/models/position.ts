import { BaseModel } from '@mortise/plugin-sdk';

/** The last position that was given out on a commit. */
export class PositionRow extends BaseModel {
  static override tableName = 'commit_status_position';
  declare id: number;
  declare repository_id: number;
  declare sha: string;
  declare taken: number;
}
