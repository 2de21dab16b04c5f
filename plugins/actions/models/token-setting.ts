import { BaseModel } from '@mortise/plugin-sdk';

/** What an owner or a repository has set for the tokens of jobs. */
export class TokenSettingRow extends BaseModel {
  static override tableName = 'action_token_setting';
  static override idColumn = ['owner_id', 'repository_id'];
  static override json = ['config'];
  declare owner_id: number;
  declare repository_id: number;
  declare config: Readonly<Record<string, unknown>>;
}
