import { BaseModel } from '@mortise/plugin-sdk';

/** For conditions on repositories; the table belongs to `repositories`. */
export class RepositoryIdRow extends BaseModel {
  static override tableName = 'repository';
  declare id: number;
}
