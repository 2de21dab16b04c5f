import { BaseModel } from '@mortise/plugin-sdk';

export class PartRow extends BaseModel {
  static override tableName = 'action_upload_part';
  declare id: number;
  declare upload_id: number;
  declare block_hash: string;
  declare start: number | null;
  declare size: number;
  declare sha256: string;
  declare key: string;
}
