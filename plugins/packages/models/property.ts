import { BaseModel } from '@mortise/plugin-sdk';

export class PropertyRow extends BaseModel {
  static override tableName = 'package_property';
  declare id: number;
  declare ref_type: 'package' | 'version' | 'file';
  declare ref_id: number;
  declare name: string;
  declare value: string;
}
