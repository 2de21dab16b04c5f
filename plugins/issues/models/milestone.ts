import { BaseModel } from '@mortise/plugin-sdk';
import type { Milestone } from '../api.js';

export class MilestoneRow extends BaseModel {
  static override tableName = 'milestone';
  static override booleans = ['is_closed'];
  declare id: number;
  declare repository_id: number;
  declare title: string;
  declare lower_title: string;
  declare description: string;
  declare is_closed: boolean;
  declare due_at: number;
  declare open_count: number;
  declare closed_count: number;
  declare created_at: number;
  declare updated_at: number;
  declare closed_at: number;
}

export const toMilestone = (row: MilestoneRow): Milestone => ({
  id: row.id,
  repositoryId: row.repository_id,
  title: row.title,
  description: row.description,
  isClosed: row.is_closed,
  dueAt: Number(row.due_at),
  openCount: row.open_count,
  closedCount: row.closed_count,
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
  closedAt: Number(row.closed_at),
});
