import { BaseModel } from '@mortise/plugin-sdk';
import type { PullVersion } from '../contract/pulls.js';

export class PullVersionRow extends BaseModel {
  static override tableName = 'pull_version';
  static override booleans = ['is_forced'];
  declare id: number;
  declare issue_id: number;
  declare number: number;
  declare head_oid: string;
  declare merge_base: string;
  declare pusher_id: number;
  declare is_forced: boolean;
  declare created_at: number;
}

export const toVersion = (row: PullVersionRow): PullVersion => ({
  number: row.number,
  headOid: row.head_oid,
  mergeBase: row.merge_base,
  pusherId: row.pusher_id,
  isForced: row.is_forced,
  createdAt: Number(row.created_at),
});
