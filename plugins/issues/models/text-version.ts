import { BaseModel } from '@mortise/plugin-sdk';

/** A text of an issue or a comment as it was before it was edited, and the present one. */
export class TextVersionRow extends BaseModel {
  static override tableName = 'text_version';
  declare id: number;
  declare issue_id: number;
  /** Null: the text of the issue itself. */
  declare entry_id: number | null;
  declare editor_id: number;
  declare body: string;
  declare created_at: number;
}
