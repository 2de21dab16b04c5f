import { BaseModel } from '@mortise/plugin-sdk';
import type { PackageFile, ReceivedBlob } from '../api.js';

export class FileRow extends BaseModel {
  static override tableName = 'package_file';
  static override booleans = ['is_lead'];
  declare id: number;
  declare version_id: number;
  declare blob_id: number;
  declare name: string;
  declare lower_name: string;
  declare composite_key: string;
  declare is_lead: boolean;
  declare created_at: number;
}

export const toFile = (row: FileRow, blob: Omit<ReceivedBlob, 'id'>): PackageFile => ({
  id: row.id,
  versionId: row.version_id,
  blobId: row.blob_id,
  name: row.name,
  lowerName: row.lower_name,
  compositeKey: row.composite_key,
  isLead: row.is_lead,
  createdAt: Number(row.created_at),
  size: Number(blob.size),
  md5: blob.md5,
  sha1: blob.sha1,
  sha256: blob.sha256,
  sha512: blob.sha512,
});
