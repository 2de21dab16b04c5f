import { BaseModel } from '@mortise/plugin-sdk';

export class VariableRow extends BaseModel {
  static override tableName = 'action_variable';
  declare id: number;
  declare owner_id: number;
  declare repository_id: number;
  /** 0: of all jobs of the scope. */
  declare environment_id: number;
  declare name: string;
  declare value: string;
  declare description: string;
  declare created_at: number;
  declare updated_at: number;
}
