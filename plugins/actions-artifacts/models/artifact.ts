import { BaseModel } from '@mortise/plugin-sdk';

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
