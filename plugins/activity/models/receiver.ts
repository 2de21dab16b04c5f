import { BaseModel } from '@mortise/plugin-sdk';

export class ReceiverRow extends BaseModel {
  static override tableName = 'activity_receiver';
  static override booleans = ['is_private', 'is_part'];
  declare id: number;
  declare user_id: number;
  declare activity_id: number;
  declare actor_id: number;
  /** 0: about what `owner_id` owns. */
  declare repository_id: number;
  /** 0: about a repository. */
  declare owner_id: number;
  declare is_private: boolean;
  declare created_at: number;
  declare is_part: boolean;
}
