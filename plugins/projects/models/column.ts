import { BaseModel } from '@mortise/plugin-sdk';
import type { ProjectColumn } from '../contract/projects.js';

export class ColumnRow extends BaseModel {
  static override tableName = 'project_column';
  static override booleans = ['is_default'];
  declare id: number;
  declare project_id: number;
  declare title: string;
  declare color: string;
  declare is_default: boolean;
  declare sorting: number;
  declare card_limit: number;
  declare creator_id: number;
  declare created_at: number;
  declare updated_at: number;
}

export const toColumn = (row: ColumnRow): ProjectColumn => ({
  id: row.id,
  projectId: row.project_id,
  title: row.title,
  color: row.color,
  isDefault: row.is_default,
  sorting: row.sorting,
  cardLimit: row.card_limit,
  creatorId: row.creator_id,
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});
