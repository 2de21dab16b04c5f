import { BaseModel } from '@mortise/plugin-sdk';

/** An offer to hand a repository over that waits for its recipient. */
export class TransferRow extends BaseModel {
  static override tableName = 'repository_transfer';
  static override json = ['team_ids'];
  declare id: number;
  declare repository_id: number;
  declare doer_id: number;
  declare recipient_id: number;
  /** Teams of the recipient that get it. */
  declare team_ids: number[] | null;
  declare created_at: number;
}
