import { BaseModel } from '@mortise/plugin-sdk';

export class EmailRow extends BaseModel {
  static override tableName = 'email_address';
  static override booleans = ['is_primary', 'is_verified', 'is_confirmed', 'is_proven'];
  declare id: number;
  declare user_id: number;
  declare email: string;
  declare lower_email: string;
  declare is_primary: boolean;
  declare is_verified: boolean;
  declare is_confirmed: boolean;
  declare is_proven: boolean;
  /** The address in lower case where it is in use, else null: unique. */
  declare reserved_email: string | null;
}
