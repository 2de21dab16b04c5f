import { BaseModel } from '@mortise/plugin-sdk';
import type { MergeOptions, MergeStyle } from '@mortise/pulls/api';
import type { QueueEntry } from '../contract/merge-queue.js';

export class EntryRow extends BaseModel {
  static override tableName = 'merge_queue_entry';
  static override booleans = ['delete_branch'];
  declare id: number;
  declare repository_id: number;
  declare issue_id: number;
  declare base_branch: string;
  declare user_id: number;
  declare head_oid: string;
  declare style: MergeStyle;
  declare title: string;
  declare message: string;
  declare delete_branch: boolean | null;
  declare candidate_ref: string;
  declare candidate_oid: string;
  declare candidate_onto: string;
  declare tested_at: number;
  declare created_at: number;
}

export const toEntry = (row: EntryRow): QueueEntry => ({
  id: row.id,
  repositoryId: row.repository_id,
  issueId: row.issue_id,
  baseBranch: row.base_branch,
  userId: row.user_id,
  headOid: row.head_oid,
  style: row.style,
  mergeGroup: row.candidate_oid
    ? { ref: row.candidate_ref, oid: row.candidate_oid, onto: row.candidate_onto, since: Number(row.tested_at) }
    : undefined,
  createdAt: Number(row.created_at),
});

/** How it is merged. */
export const mergeOptionsOf = (row: EntryRow): MergeOptions => ({
  style: row.style,
  headOid: row.head_oid,
  ...(row.title && { title: row.title }),
  ...(row.message && { message: row.message }),
  ...(row.delete_branch !== null && { deleteBranch: row.delete_branch }),
});
