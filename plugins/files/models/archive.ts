import { BaseModel } from '@mortise/plugin-sdk';

/** One row of `file_archive`: an archive in storage, and when somebody last asked for it. */
export class ArchiveRow extends BaseModel {
  static override tableName = 'file_archive';
  static override idColumn = 'key';
  declare key: string;
  declare repository_id: number;
  declare bytes: number;
  declare used_at: number;
}
