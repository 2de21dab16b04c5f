import { BaseModel } from '@mortise/plugin-sdk';

/** The server that is taken over: one row. */
export class TakeoverSource extends BaseModel {
  static override tableName = 'takeover_source';
  declare id: number;
  /** Of its secrets, which it keeps when it moves. */
  declare digest: string;
  /** The user with the lowest id; 0: there was none. */
  declare first_user_id: number;
  /** Seconds since 1970. */
  declare first_user_created: number;
  /** Its app.ini, as `--from` led to it. */
  declare location: string;
}
