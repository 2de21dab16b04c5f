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

/** A text of an issue or a comment as it was before it was edited, and the present one. */
export class TextVersionRow extends BaseModel {
  static override tableName = 'text_version';
  declare id: number;
  declare issue_id: number;
  /** Null: the text of the issue itself. */
  declare entry_id: number | null;
  declare editor_id: number;
  declare body: string;
  declare created_at: number;
}

export class ReactionRow extends BaseModel {
  static override tableName = 'reaction';
  declare id: number;
  declare issue_id: number;
  /** 0: on the issue itself. */
  declare entry_id: number;
  declare user_id: number;
  /** Who reacted where it was imported from; empty: the account did. */
  declare original_author: string;
  declare content: string;
  declare created_at: number;
}

export class DependencyRow extends BaseModel {
  static override tableName = 'issue_dependency';
  declare id: number;
  declare issue_id: number;
  declare depends_on_id: number;
  declare actor_id: number;
  declare created_at: number;
}

/** Table of one row, which whoever adds a dependency holds until the commit. */
export const dependencyGuard = 'issue_dependency_guard';

/** The columns alone, of what has just been written. */
export type TimelineColumns = Omit<TimelineRow, keyof BaseModel>;

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
