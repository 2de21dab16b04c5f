import { BaseModel } from '@mortise/plugin-sdk';
import type { Release } from '../contract/releases.js';

/** `making`: its tag is being made; nobody sees it yet. */
type ReleaseState = 'making' | 'draft' | 'published';

/** What a release is to become in the moment in which its tag is there. */
export interface PendingChanges {
  readonly tagName: string;
  readonly target: string;
  readonly title: string;
  readonly note: string;
  readonly isPrerelease: boolean;
  readonly actorId: number;
  /** Given where the tag was there before. */
  readonly createdAt?: number;
}

export class ReleaseRow extends BaseModel {
  static override tableName = 'release';
  static override booleans = ['is_prerelease'];
  static override json = ['pending'];
  declare id: number;
  declare repository_id: number;
  declare author_id: number;
  declare original_author: string;
  declare tag_name: string;
  declare lower_tag_name: string;
  declare target: string;
  declare title: string;
  declare lower_title: string;
  declare note: string;
  declare tag_message: string;
  declare state: ReleaseState;
  declare is_prerelease: boolean;
  declare pending: PendingChanges | null;
  declare pending_at: number;
  declare created_at: number;
  declare published_at: number;
  declare updated_at: number;
}

export const toRelease = (row: ReleaseRow): Release => ({
  id: row.id,
  repositoryId: row.repository_id,
  authorId: row.author_id,
  originalAuthor: row.original_author,
  tagName: row.tag_name,
  target: row.target,
  title: row.title,
  note: row.note,
  isDraft: row.state !== 'published',
  isPrerelease: row.is_prerelease,
  tagMessage: row.tag_message,
  createdAt: Number(row.created_at),
  publishedAt: Number(row.published_at),
  updatedAt: Number(row.updated_at),
});
