import { BaseModel } from '@mortise/plugin-sdk';
import type { ProjectView, ViewLayout } from '../contract/fields.js';

export class ViewRow extends BaseModel {
  static override tableName = 'project_view';
  static override json = ['options'];
  static override booleans = ['is_default'];
  declare id: number;
  declare project_id: number;
  declare title: string;
  declare layout: ViewLayout;
  declare filter: string;
  declare options: Record<string, unknown>;
  declare sorting: number;
  declare is_default: boolean;
  declare creator_id: number;
  declare created_at: number;
}

export const toView = (row: ViewRow): ProjectView => ({
  id: row.id,
  projectId: row.project_id,
  title: row.title,
  layout: row.layout,
  filter: row.filter,
  options: row.options,
  isDefault: row.is_default,
  creatorId: row.creator_id,
});
