import { BaseModel } from '@mortise/plugin-sdk';

/** Teams, as far as queries look at them. */
export class TeamRow extends BaseModel {
  static override tableName = 'team';
  declare id: number;
}
