import { BaseModel } from '@mortise/plugin-sdk';

export class SecretRow extends BaseModel {
  static override tableName = 'action_secret';
  declare id: number;
  declare owner_id: number;
  declare repository_id: number;
  declare name: string;
  /** Opened by the key `key_id`. */
  declare sealed: string;
  declare key_id: number;
  declare description: string;
  declare created_at: number;
  declare updated_at: number;
}

/** A key that secrets are sealed with, itself sealed with the secret of the installation. */
export class SecretKeyRow extends BaseModel {
  static override tableName = 'action_secret_key';
  declare id: number;
  declare sealed: string;
  declare created_at: number;
}

export class VariableRow extends BaseModel {
  static override tableName = 'action_variable';
  declare id: number;
  declare owner_id: number;
  declare repository_id: number;
  declare name: string;
  declare value: string;
  declare description: string;
  declare created_at: number;
  declare updated_at: number;
}

/** What an owner or a repository has set for the tokens of jobs. */
export class TokenSettingRow extends BaseModel {
  static override tableName = 'action_token_setting';
  static override idColumn = ['owner_id', 'repository_id'];
  static override json = ['config'];
  declare owner_id: number;
  declare repository_id: number;
  declare config: Readonly<Record<string, unknown>>;
}
