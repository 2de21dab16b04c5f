import { BaseModel } from '@mortise/plugin-sdk';

export class RegistrationRow extends BaseModel {
  static override tableName = 'action_registration';
  static override booleans = ['is_active'];
  declare id: number;
  declare owner_id: number;
  declare repository_id: number;
  declare token_hash: string;
  declare sealed: string;
  declare is_active: boolean;
  declare created_at: number;
}
