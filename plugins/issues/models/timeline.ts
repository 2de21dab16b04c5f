import { BaseModel } from '@mortise/plugin-sdk';
import type { TimelineEntry } from '../api.js';

export class TimelineRow extends BaseModel {
  static override tableName = 'timeline_entry';
  static override json = ['data'];
  declare id: number;
  declare issue_id: number;
  declare repository_id: number;
  declare kind: string;
  declare actor_id: number;
  declare original_author: string;
  declare original_author_id: number;
  declare body: string;
  declare subject_id: number;
  declare data: Record<string, unknown> | null;
  declare once_key: string | null;
  declare created_at: number;
  declare updated_at: number;
}

/** The columns alone, of what has just been written. */
type TimelineColumns = Omit<TimelineRow, keyof BaseModel>;

export const toEntry = (row: TimelineColumns): TimelineEntry => ({
  id: row.id,
  issueId: row.issue_id,
  repositoryId: row.repository_id,
  kind: row.kind,
  actorId: row.actor_id,
  originalAuthor: row.original_author,
  originalAuthorId: Number(row.original_author_id),
  body: row.body,
  subjectId: row.subject_id,
  data: row.data ?? {},
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});
