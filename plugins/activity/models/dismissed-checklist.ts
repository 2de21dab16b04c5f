import { BaseModel } from '@mortise/plugin-sdk';

/** One row of `dismissed_checklist`: a list of the dashboard that a user wants to see no more. */
export class DismissedChecklistRow extends BaseModel {
  static override tableName = 'dismissed_checklist';
  declare id: number;
  declare user_id: number;
  declare list: 'site' | 'user';
}
