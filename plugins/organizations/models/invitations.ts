import { BaseModel } from '@mortise/plugin-sdk';

/** An invitation to a team by mail; times are milliseconds since 1970 UTC. */
export class InvitationRow extends BaseModel {
  static override tableName = 'team_invitation';
  declare id: number;
  declare team_id: number;
  declare inviter_id: number;
  declare email: string;
  declare lower_email: string;
  declare token_hash: string;
  declare created_at: number;
  declare expires_at: number;
}
