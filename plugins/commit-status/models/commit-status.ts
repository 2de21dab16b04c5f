import { BaseModel } from '@mortise/plugin-sdk';
import type { CommitStatus, StatusState } from '../contract/commit-status.js';

export class CommitStatusRow extends BaseModel {
  static override tableName = 'commit_status';
  declare id: number;
  declare repository_id: number;
  declare sha: string;
  declare position: number;
  declare state: StatusState;
  declare context: string;
  /** SHA-1 of the context, for the index. */
  declare context_hash: string;
  declare description: string;
  declare target_url: string;
  declare creator_id: number;
  declare created_at: number;
  declare updated_at: number;
}

export const statusOf = (row: CommitStatusRow): CommitStatus => ({
  id: row.id,
  repositoryId: row.repository_id,
  sha: row.sha,
  position: row.position,
  state: row.state,
  context: row.context,
  description: row.description,
  targetUrl: row.target_url,
  creatorId: row.creator_id,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
