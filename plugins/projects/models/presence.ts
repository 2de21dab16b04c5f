import { BaseModel } from '@mortise/plugin-sdk';

export class PresenceRow extends BaseModel {
  static override tableName = 'project_viewer';
  declare id: number;
  declare project_id: number;
  declare user_id: number;
  declare seen_at: number;
}
