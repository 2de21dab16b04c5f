import { BaseModel } from '@mortise/plugin-sdk';

export class SummaryRow extends BaseModel {
  static override tableName = 'action_summary';
  declare id: number;
  declare job_id: number;
  declare step: number;
  declare content: string;
  declare size: number;
  declare updated_at: number;
}
