import { BaseModel } from '@mortise/plugin-sdk';

/** How far the index of a kind has come. */
export class IndexProgressRow extends BaseModel {
  static override tableName = 'search_source';
  static override idColumn = 'kind';
  declare kind: string;
  declare version: number;
  declare last_id: number;
  declare is_complete: boolean;
}
