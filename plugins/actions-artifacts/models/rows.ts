import { BaseModel } from '@mortise/plugin-sdk';

/** Content that comes in pieces. Times of all rows are milliseconds since 1970 UTC, sizes bytes. */
export class UploadRow extends BaseModel {
  static override tableName = 'action_upload';
  static override json = ['block_list'];
  declare id: number;
  declare area: string;
  declare block_list: readonly string[] | null;
  declare received: number;
  declare parts: number;
  declare updated_at: number;
}

export class PartRow extends BaseModel {
  static override tableName = 'action_upload_part';
  declare id: number;
  declare upload_id: number;
  declare block_hash: string;
  declare start: number | null;
  declare size: number;
  declare sha256: string;
  declare key: string;
}

/** As the protocol counts; what is deleted leaves no row, so that the others have no use. */
export const artifactStatus = { pending: 1, confirmed: 2, expired: 4 } as const;

export class ArtifactRow extends BaseModel {
  static override tableName = 'action_artifact';
  declare id: number;
  declare run_id: number;
  declare run_attempt_id: number;
  declare repository_id: number;
  declare commit_sha: string;
  declare name: string;
  declare path: string;
  declare place_hash: string;
  declare status: number;
  declare size: number;
  declare stored_size: number;
  declare content_type: string;
  declare content_encoding: string;
  declare key: string;
  declare upload_id: number;
  declare created_at: number;
  declare updated_at: number;
  declare expires_at: number;
}

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

export class SummaryRow extends BaseModel {
  static override tableName = 'action_summary';
  declare id: number;
  declare job_id: number;
  declare step: number;
  declare content: string;
  declare size: number;
  declare updated_at: number;
}

export class OrphanBlobRow extends BaseModel {
  static override tableName = 'action_leftover';
  declare id: number;
  declare area: string;
  declare key: string;
}
