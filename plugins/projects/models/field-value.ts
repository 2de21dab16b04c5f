import { BaseModel } from '@mortise/plugin-sdk';

export class FieldValueRow extends BaseModel {
  static override tableName = 'project_field_value';
  declare id: number;
  declare card_id: number;
  declare field_id: number;
  declare text_value: string | null;
  declare number_value: number | null;
  declare option_id: number | null;
}
