import { BaseModel } from '@mortise/plugin-sdk';

/** A person of a provider who may sign in as an account. */
export class LinkRow extends BaseModel {
  static override tableName = 'oauth2_link';
  declare id: number;
  declare source_id: number;
  declare user_id: number;
  declare subject: string;
  declare subject_hash: string;
  /** As the provider called them last. */
  declare name: string;
  declare created_at: number;
  /** 0: never. */
  declare last_used_at: number;
}
