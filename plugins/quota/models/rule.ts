import { BaseModel } from '@mortise/plugin-sdk';

/** One row of `quota_rule`: how much of some subjects together may be stored. */
export class RuleRow extends BaseModel {
  static override tableName = 'quota_rule';
  static override json = ['subjects'];
  declare id: number;
  declare name: string;
  /** -1: any number. */
  declare max_bytes: number;
  declare subjects: readonly string[];
}
