import { BaseModel } from '@mortise/plugin-sdk';
import type { Label } from '../api.js';

export class LabelRow extends BaseModel {
  static override tableName = 'label';
  static override booleans = ['is_exclusive'];
  declare id: number;
  declare repository_id: number | null;
  declare organization_id: number | null;
  declare name: string;
  declare lower_name: string;
  declare color: string;
  declare description: string;
  declare is_exclusive: boolean;
  declare archived_at: number;
  declare created_at: number;
}

export const toLabel = (row: LabelRow): Label => ({
  id: row.id,
  repositoryId: row.repository_id ?? 0,
  organizationId: row.organization_id ?? 0,
  name: row.name,
  color: row.color,
  description: row.description,
  isExclusive: row.is_exclusive,
  isArchived: Number(row.archived_at) > 0,
});
