import { BaseModel } from '@mortise/plugin-sdk';
import type { Issue } from '../api.js';
import { fieldValues, type FieldColumns } from '../fields/values.js';

/** A model whose rows also have the columns that the fields name. */
const WithFields = BaseModel as Pick<typeof BaseModel, keyof typeof BaseModel> & (new () => BaseModel & FieldColumns);

export class IssueRow extends WithFields {
  static override tableName = 'issue';
  static override booleans = ['is_pull', 'is_closed', 'is_locked'];
  declare id: number;
  declare repository_id: number;
  declare number: number;
  declare is_pull: boolean;
  declare poster_id: number;
  declare original_author: string;
  declare original_author_id: number;
  declare title: string;
  declare body: string;
  declare is_closed: boolean;
  declare is_locked: boolean;
  declare milestone_id: number | null;
  declare comment_count: number;
  declare content_version: number;
  declare pin_order: number;
  declare created_at: number;
  declare updated_at: number;
  declare closed_at: number;
}

/** The columns alone, of what has just been written. */
type IssueColumns = Omit<IssueRow, keyof BaseModel>;

export const toIssue = (row: IssueColumns): Issue => ({
  id: row.id,
  repositoryId: row.repository_id,
  index: row.number,
  isPull: row.is_pull,
  posterId: row.poster_id,
  originalAuthor: row.original_author,
  originalAuthorId: Number(row.original_author_id),
  title: row.title,
  body: row.body,
  isClosed: row.is_closed,
  isLocked: row.is_locked,
  milestoneId: row.milestone_id ?? 0,
  commentCount: row.comment_count,
  contentVersion: row.content_version,
  pinOrder: row.pin_order,
  ...fieldValues(row),
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
  closedAt: Number(row.closed_at),
});
