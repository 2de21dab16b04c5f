import { BaseModel } from '@mortise/plugin-sdk';

export class SubscriptionRow extends BaseModel {
  static override tableName = 'project_subscription';
  declare id: number;
  declare project_id: number;
  declare user_id: number;
  declare created_at: number;
}
