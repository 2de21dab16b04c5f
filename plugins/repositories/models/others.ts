import { BaseModel } from '@mortise/plugin-sdk';
import type { AccessMode } from '../api.js';

/** A path that a repository had before; leads to its present one (GEN-06). */
export class RedirectRow extends BaseModel {
  static override tableName = 'repository_redirect';
  declare id: number;
  declare owner_id: number;
  declare lower_name: string;
  declare repository_id: number;
}

export class CollaboratorRow extends BaseModel {
  static override tableName = 'collaborator';
  declare id: number;
  declare repository_id: number;
  declare user_id: number;
  declare mode: AccessMode;
}

export class TopicRow extends BaseModel {
  static override tableName = 'topic';
  declare id: number;
  declare name: string;
  declare repository_count: number;
  declare created_at: number;
  declare updated_at: number;
}

export class RepositoryTopicRow extends BaseModel {
  static override tableName = 'repository_topic';
  static override idColumn = ['repository_id', 'topic_id'];
  declare repository_id: number;
  declare topic_id: number;
}

/** An offer to hand a repository over that waits for its recipient. */
export class TransferRow extends BaseModel {
  static override tableName = 'repository_transfer';
  static override json = ['team_ids'];
  declare id: number;
  declare repository_id: number;
  declare doer_id: number;
  declare recipient_id: number;
  /** Teams of the recipient that get it. */
  declare team_ids: number[] | null;
  declare created_at: number;
}

/** A key that reaches one repository only. */
export class DeployKeyRow extends BaseModel {
  static override tableName = 'deploy_key';
  static override booleans = ['read_only'];
  declare id: number;
  declare repository_id: number;
  declare title: string;
  declare content: string;
  declare fingerprint: string;
  declare read_only: boolean;
  declare created_at: number;
  /** 0: never. */
  declare last_used_at: number;
}
