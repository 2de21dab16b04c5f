import { BaseModel } from '@mortise/plugin-sdk';
import type { FieldOption } from '../contract/fields.js';

export class FieldOptionRow extends BaseModel {
  static override tableName = 'project_field_option';
  declare id: number;
  declare field_id: number;
  declare title: string;
  declare color: string;
  declare sorting: number;
  declare starts_on: string;
  declare days: number;
}

export const toOption = (row: FieldOptionRow): FieldOption => ({
  id: row.id,
  title: row.title,
  color: row.color,
  startsOn: row.starts_on,
  days: row.days,
});
