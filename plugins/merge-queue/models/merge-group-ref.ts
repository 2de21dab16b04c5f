import { BaseModel } from '@mortise/plugin-sdk';

/** A branch that a candidate has, or had. */
export class MergeGroupRefRow extends BaseModel {
  static override tableName = 'merge_queue_ref';
  declare id: number;
  declare repository_id: number;
  declare base_branch: string;
  declare ref: string;
}
