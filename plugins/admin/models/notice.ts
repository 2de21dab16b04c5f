import { BaseModel } from '@mortise/plugin-sdk';

export class NoticeRow extends BaseModel {
  static override tableName = 'site_notice';
  declare id: number;
  declare kind: string;
  declare text: string;
  declare created_at: number;
}
