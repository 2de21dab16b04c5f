import { BaseModel } from '@mortise/plugin-sdk';

/** One row of `quota_wiki`: bytes on disk of the wiki of a repository. */
export class WikiRow extends BaseModel {
  static override tableName = 'quota_wiki';
  static override idColumn = 'repository_id';
  declare repository_id: number;
  declare size_bytes: number;
}
