import { BaseModel } from '@mortise/plugin-sdk';

/** A mail that was taken, or is being taken. */
export class IncomingMailRow extends BaseModel {
  static override tableName = 'incoming_mail';
  static override idColumn = 'mail_key';
  static override booleans = ['is_finished'];
  /** Digest of its Message-ID and of the address that it came to. */
  declare mail_key: string;
  /** What it brought, in words of its handler; 0: nothing with a number. */
  declare subject_id: number;
  declare is_finished: boolean;
  declare received_at: number;
}
