import { BaseModel } from '@mortise/plugin-sdk';
import type { Package } from '../api.js';

export class PackageRow extends BaseModel {
  static override tableName = 'package';
  static override booleans = ['is_internal'];
  declare id: number;
  declare owner_id: number;
  declare repository_id: number;
  declare type: string;
  declare name: string;
  declare lower_name: string;
  declare is_internal: boolean;
}

export const toPackage = (row: PackageRow): Package => ({
  id: row.id,
  ownerId: row.owner_id,
  repositoryId: row.repository_id,
  type: row.type,
  name: row.name,
  lowerName: row.lower_name,
  isInternal: row.is_internal,
});
