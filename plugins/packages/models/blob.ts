import { BaseModel } from '@mortise/plugin-sdk';
import type { ReceivedBlob } from '../api.js';

/** Content, stored once however many files have it. */
export class BlobRow extends BaseModel {
  static override tableName = 'package_blob';
  declare id: number;
  declare size: number;
  declare md5: string;
  declare sha1: string;
  declare sha256: string;
  declare sha512: string;
  declare created_at: number;
}

export const toBlob = (row: BlobRow): ReceivedBlob => ({
  id: row.id,
  size: Number(row.size),
  md5: row.md5,
  sha1: row.sha1,
  sha256: row.sha256,
  sha512: row.sha512,
});
