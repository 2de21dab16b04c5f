import { BaseModel } from '@mortise/plugin-sdk';

/** Which versions of an owner's packages of a format the nightly clean-up removes. */
export class CleanUpRuleRow extends BaseModel {
  static override tableName = 'package_clean_up_rule';
  static override booleans = ['is_enabled', 'match_full_name'];
  declare id: number;
  declare owner_id: number;
  declare type: string;
  declare is_enabled: boolean;
  declare keep_count: number;
  declare keep_pattern: string;
  declare remove_days: number;
  declare remove_pattern: string;
  declare match_full_name: boolean;
}
