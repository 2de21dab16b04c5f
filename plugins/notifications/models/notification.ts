import { BaseModel } from '@mortise/plugin-sdk';
import { isRepositorySubject, subjectIdOf } from './subject-key.js';
import type {
  Notification,
  NotificationKind,
  NotificationReason,
  NotificationStatus,
} from '../contract/notifications.js';

export class NotificationRow extends BaseModel {
  static override tableName = 'notification';
  declare id: number;
  declare user_id: number;
  /** Null: about something outside of repositories, which `subject` names. */
  declare repository_id: number | null;
  declare issue_id: number | null;
  declare kind: NotificationKind;
  declare subject: string;
  declare sha: string;
  declare status: NotificationStatus;
  declare reason: NotificationReason;
  declare comment_id: number;
  declare actor_id: number;
  declare created_at: number;
  declare updated_at: number;
}

export const toNotification = (row: NotificationRow): Notification => ({
  id: row.id,
  userId: row.user_id,
  kind: row.kind,
  status: row.status,
  reason: row.reason,
  repositoryId: row.repository_id ?? 0,
  subjectId: isRepositorySubject(row.kind) ? 0 : subjectIdOf(row.subject),
  issueId: row.issue_id ?? 0,
  sha: row.sha,
  commentId: row.comment_id,
  actorId: row.actor_id,
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});
