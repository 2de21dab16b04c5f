import { BaseModel } from '@mortise/plugin-sdk';

/** One row of `quota_group_rule`. */
export class GroupRuleRow extends BaseModel {
  static override tableName = 'quota_group_rule';
  static override idColumn = ['group_id', 'rule_id'];
  declare group_id: number;
  declare rule_id: number;
}
