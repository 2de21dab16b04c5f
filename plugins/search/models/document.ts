import { BaseModel } from '@mortise/plugin-sdk';

/** Texts as they are looked for; see `services/terms.ts`. */
export class DocumentRow extends BaseModel {
  static override tableName = 'search_document';
  declare id: number;
  declare kind: string;
  declare resource_id: number;
  declare repository_id: number;
  declare family: string;
  declare subject_id: number;
  /** Terms for the type of subject and the repository, which SQLite narrows by inside its index. */
  declare scope: string;
  declare title_terms: string;
  declare body_terms: string;
}
