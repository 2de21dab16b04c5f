import { BaseModel } from '@mortise/plugin-sdk';
import type { PackageVersion } from '../api.js';

export class VersionRow extends BaseModel {
  static override tableName = 'package_version';
  static override booleans = ['is_internal'];
  static override json = ['metadata'];
  declare id: number;
  declare package_id: number;
  declare creator_id: number;
  declare version: string;
  declare lower_version: string;
  /** Not there in lists. */
  declare metadata?: Record<string, unknown>;
  declare is_internal: boolean;
  declare download_count: number;
  declare created_at: number;
}

export const toVersion = (row: VersionRow): PackageVersion => ({
  id: row.id,
  packageId: row.package_id,
  creatorId: row.creator_id,
  version: row.version,
  lowerVersion: row.lower_version,
  metadata: row.metadata ?? {},
  isInternal: row.is_internal,
  downloadCount: row.download_count,
  createdAt: Number(row.created_at),
});
