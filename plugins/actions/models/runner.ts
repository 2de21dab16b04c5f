import { BaseModel } from '@mortise/plugin-sdk';

export class RunnerRow extends BaseModel {
  static override tableName = 'action_runner';
  static override booleans = ['is_ephemeral', 'is_disabled', 'can_cancel'];
  static override json = ['labels'];
  declare id: number;
  declare uuid: string;
  declare name: string;
  declare owner_id: number;
  declare repository_id: number;
  declare description: string;
  declare token_hash: string;
  declare token_salt: string;
  declare version: string;
  declare labels: readonly string[];
  declare is_ephemeral: boolean;
  declare is_disabled: boolean;
  declare can_cancel: boolean;
  declare used_by_task: number | null;
  declare created_at: number;
  declare updated_at: number;
}
