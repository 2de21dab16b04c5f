import { BaseModel } from '@mortise/plugin-sdk';
import type { CardType, Project, ProjectTemplate, ProjectType } from '../contract/projects.js';

export class ProjectRow extends BaseModel {
  static override tableName = 'project';
  static override booleans = ['is_closed'];
  declare id: number;
  declare type: ProjectType;
  declare repository_id: number | null;
  declare owner_id: number;
  declare title: string;
  declare description: string;
  declare creator_id: number;
  declare is_closed: boolean;
  declare template: ProjectTemplate;
  declare card_type: CardType;
  declare revision: number;
  declare created_at: number;
  declare updated_at: number;
  declare closed_at: number;
}

export const toProject = (row: ProjectRow): Project => ({
  id: row.id,
  type: row.type,
  repositoryId: row.repository_id ?? 0,
  ownerId: row.owner_id,
  title: row.title,
  description: row.description,
  creatorId: row.creator_id,
  isClosed: row.is_closed,
  template: row.template,
  cardType: row.card_type,
  revision: row.revision,
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
  closedAt: Number(row.closed_at),
});
