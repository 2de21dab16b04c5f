import { BaseModel } from '@mortise/plugin-sdk';

/** A commit of the default branch; its id is that of its document. */
export class CommitRow extends BaseModel {
  static override tableName = 'search_commit';
  declare id: number;
  declare repository_id: number;
  declare oid: string;
  declare seen_in: string;
}
