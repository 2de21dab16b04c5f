import { BaseModel } from '@mortise/plugin-sdk';
import type { ProjectCard } from '../contract/projects.js';

export class CardRow extends BaseModel {
  static override tableName = 'project_card';
  static override booleans = ['is_archived'];
  declare id: number;
  declare project_id: number;
  declare column_id: number;
  declare issue_id: number;
  declare creator_id: number;
  declare is_archived: boolean;
  declare position: number;
  declare created_at: number;
  declare updated_at: number;
}

export const toCard = (row: CardRow): ProjectCard => ({
  id: row.id,
  projectId: row.project_id,
  columnId: row.column_id,
  issueId: row.issue_id,
  creatorId: row.creator_id,
  isArchived: row.is_archived,
  position: Number(row.position),
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});
