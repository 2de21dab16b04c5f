import { BaseModel } from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';

/** Repositories, as far as queries look at them. */
export class RepositoryVisibilityRow extends BaseModel {
  static override tableName = 'repository';
  static override booleans = ['is_private'];
  declare id: number;
  declare owner_id: number;
  declare owner_visibility: Repository['ownerVisibility'];
  declare is_private: boolean;
}
