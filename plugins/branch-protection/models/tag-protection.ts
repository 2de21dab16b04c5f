import { BaseModel } from '@mortise/plugin-sdk';
import type { NamedList, TagProtection } from '../contract/branch-protection.js';

export class TagProtectionRow extends BaseModel {
  static override tableName = 'tag_protection';
  static override json = ['allowlist'];
  declare id: number;
  declare repository_id: number;
  declare name_pattern: string;
  declare allowlist: NamedList;
  declare created_at: number;
  declare updated_at: number;
}

export const tagProtectionOf = (row: TagProtectionRow): TagProtection => ({
  id: row.id,
  repositoryId: row.repository_id,
  namePattern: row.name_pattern,
  allowlist: row.allowlist,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
