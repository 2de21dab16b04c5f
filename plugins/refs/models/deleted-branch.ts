import { BaseModel } from '@mortise/plugin-sdk';

/** One row of `deleted_branch`: where a branch stood when it was deleted, so that it can be brought back. */
export class DeletedBranchRow extends BaseModel {
  static override tableName = 'deleted_branch';
  declare id: number;
  declare repository_id: number;
  declare name: string;
  declare oid: string;
  /** Account; 0 or less: nobody that has one. */
  declare deleted_by: number;
  declare deleted_at: number;
}
