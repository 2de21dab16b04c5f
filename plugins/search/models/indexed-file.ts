import { BaseModel } from '@mortise/plugin-sdk';

/** A file of the default branch; its id is that of its document. */
export class FileRow extends BaseModel {
  static override tableName = 'search_file';
  declare id: number;
  declare repository_id: number;
  declare path: string;
  declare path_key: string;
  /** Without folders, in small letters, as far as 255 characters. */
  declare name: string;
  declare language: string | null;
  /** In a folder, or with a name, that begins with a dot. */
  declare is_hidden: boolean;
  /** See `services/definitions.ts`; null: from a time when they were not read. */
  declare definitions: string | null;
  declare oid: string;
  /** Of its text, as far as that is indexed; null: from a time when they were not counted. */
  declare bytes: number | null;
  declare seen_in: string;
}
