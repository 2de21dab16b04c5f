import { BaseModel } from '@mortise/plugin-sdk';

export class LoginSourceRow extends BaseModel {
  static override tableName = 'login_source';
  static override booleans = ['is_active', 'is_sync_enabled', 'skips_second_factor'];
  static override json = ['settings'];
  declare id: number;
  declare kind: string;
  declare name: string;
  declare is_active: boolean;
  declare is_sync_enabled: boolean;
  declare skips_second_factor: boolean;
  declare settings: Record<string, unknown>;
  declare created_at: number;
  declare updated_at: number;
}
