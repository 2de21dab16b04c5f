import { createHash } from 'node:crypto';
import { BaseModel } from '@mortise/plugin-sdk';

/** What an import has written; `pull` and `issue` have numbers. */
export type ItemKind =
  | 'label'
  | 'milestone'
  | 'release'
  | 'asset'
  | 'issue'
  | 'pull'
  | 'comment'
  | 'review'
  | 'project';

export class ImportItemRow extends BaseModel {
  static override tableName = 'repository_import_item';
  declare id: number;
  declare repository_id: number;
  declare kind: ItemKind;
  declare digest: string;
  declare local_id: number;
  declare number: number;
}

/** Names of the source may be long, and differ in case alone. */
export const digestOf = (kind: ItemKind, key: string): string =>
  createHash('sha1').update(`${kind} ${key}`).digest('hex');
