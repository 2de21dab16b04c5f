import { BaseModel } from '@mortise/plugin-sdk';

/** Repositories, for subqueries alone. */
export class RepositoryIdRow extends BaseModel {
  static override tableName = 'repository';
  declare id: number;
}
