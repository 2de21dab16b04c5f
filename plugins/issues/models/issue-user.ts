import { BaseModel } from '@mortise/plugin-sdk';

export class IssueUserRow extends BaseModel {
  declare id: number;
  declare issue_id: number;
  declare user_id: number;
}
