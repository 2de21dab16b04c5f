import { BaseModel } from '@mortise/plugin-sdk';

export class CacheRow extends BaseModel {
  static override tableName = 'action_cache';
  static override booleans = ['is_complete'];
  declare id: number;
  declare repository_id: number;
  declare scope: string;
  declare cache_key: string;
  declare version: string;
  declare place_hash: string;
  declare shelf_hash: string;
  declare is_complete: boolean;
  declare size: number;
  declare key: string;
  declare upload_id: number;
  declare created_at: number;
  declare used_at: number;
}
