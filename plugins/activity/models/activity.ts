import { BaseModel } from '@mortise/plugin-sdk';
import type { Activity, ActivityKind, PushSummary } from '../api.js';

export class ActivityRow extends BaseModel {
  static override tableName = 'activity';
  static override booleans = ['is_private', 'is_part'];
  declare id: number;
  declare actor_id: number;
  declare kind: ActivityKind;
  declare repository_id: number;
  declare ref: string;
  declare content: string;
  declare comment_id: number;
  declare is_private: boolean;
  declare created_at: number;
  declare once_key: string | null;
  declare is_part: boolean;
  /** JSON of a {@link PushSummary}. */
  declare push: string | null;
}

export class ReceiverRow extends BaseModel {
  static override tableName = 'activity_receiver';
  static override booleans = ['is_private', 'is_part'];
  declare id: number;
  declare user_id: number;
  declare activity_id: number;
  declare actor_id: number;
  declare repository_id: number;
  declare is_private: boolean;
  declare created_at: number;
  declare is_part: boolean;
}

/** The one fact about accounts that feeds are filtered by; the table belongs to `accounts`. */
export class UserRow extends BaseModel {
  static override tableName = 'user';
  declare id: number;
  declare hide_activity: boolean;
}

/** For conditions on repositories; the table belongs to `repositories`. */
export class RepositoryIdRow extends BaseModel {
  static override tableName = 'repository';
  declare id: number;
}

export const toActivity = (row: ActivityRow, receiverId: number): Activity => ({
  id: row.id,
  actorId: row.actor_id,
  kind: row.kind,
  repositoryId: row.repository_id,
  ref: row.ref,
  content: row.content,
  commentId: row.comment_id,
  isPrivate: row.is_private,
  createdAt: Number(row.created_at),
  receiverId,
  ...(row.push ? { push: JSON.parse(row.push) as PushSummary } : {}),
});
