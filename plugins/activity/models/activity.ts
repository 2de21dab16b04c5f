import { BaseModel } from '@mortise/plugin-sdk';
import type { Activity, ActivityKind, PushSummary } from '../contract/activity.js';

export class ActivityRow extends BaseModel {
  static override tableName = 'activity';
  static override booleans = ['is_private', 'is_part'];
  declare id: number;
  declare actor_id: number;
  declare kind: ActivityKind;
  /** Null: about what `owner_id` owns. */
  declare repository_id: number | null;
  declare owner_id: number | null;
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

export const toActivity = (row: ActivityRow, receiverId: number): Activity => ({
  id: row.id,
  actorId: row.actor_id,
  kind: row.kind,
  repositoryId: row.repository_id ?? 0,
  ownerId: row.owner_id ?? 0,
  ref: row.ref,
  content: row.content,
  commentId: row.comment_id,
  isPrivate: row.is_private,
  createdAt: Number(row.created_at),
  receiverId,
  ...(row.push ? { push: JSON.parse(row.push) as PushSummary } : {}),
});
