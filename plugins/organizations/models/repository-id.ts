import { BaseModel } from '@mortise/plugin-sdk';

/** Repositories, as far as queries look at them. */
export class RepositoryIdRow extends BaseModel {
  static override tableName = 'repository';
  declare id: number;
  declare owner_id: number;
}
