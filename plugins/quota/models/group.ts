import { BaseModel } from '@mortise/plugin-sdk';

/** One row of `quota_group`: rules that hold together for the accounts in the group. */
export class GroupRow extends BaseModel {
  static override tableName = 'quota_group';
  declare id: number;
  declare name: string;
}
