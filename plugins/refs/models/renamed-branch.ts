import { BaseModel } from '@mortise/plugin-sdk';

/** One row of `renamed_branch`: what a branch was called before, so that links to it lead on. */
export class RenamedBranchRow extends BaseModel {
  static override tableName = 'renamed_branch';
  declare id: number;
  declare repository_id: number;
  declare name: string;
  declare new_name: string;
  declare renamed_at: number;
}
