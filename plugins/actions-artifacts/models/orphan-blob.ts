import { BaseModel } from '@mortise/plugin-sdk';

export class OrphanBlobRow extends BaseModel {
  static override tableName = 'action_orphan_blob';
  declare id: number;
  declare area: string;
  declare key: string;
}
