import { BaseModel } from '@mortise/plugin-sdk';
import type { FieldKind } from '../contract/fields.js';

export class FieldRow extends BaseModel {
  static override tableName = 'project_field';
  declare id: number;
  declare project_id: number;
  declare name: string;
  declare kind: FieldKind;
  declare sorting: number;
  declare created_at: number;
}
