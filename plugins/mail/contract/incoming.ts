/** The contract of `mail` for mails that people send: which plugin takes an answer, and whose it is. */
import { definePoint, type Keyed } from '@mortise/plugin-sdk';
import type { MailReceiver } from './mail.js';

/** What an address of this site stands for: `issue` 7. */
export interface MailSubject {
  /** Key of an {@link IncomingMailHandler}. */
  readonly kind: string;
  readonly id: number;
}

/** A file that came with a mail. */
export interface MailAttachment {
  /** As the mail names it; may be empty. */
  readonly name: string;
  readonly contentType: string;
  readonly content: Uint8Array;
}

/** A mail that somebody sent to an address of this site, to be taken once. */
export interface IncomingMail {
  /** What they wrote, without quotations of earlier mails and without signatures; may be empty. */
  readonly text: string;
  readonly attachments: readonly MailAttachment[];
  /** What an attempt that was interrupted gave to {@link IncomingMail.record}: it is there already. */
  readonly recordedId: number | undefined;
  /** In the transaction that stores what the mail brings: nothing of it is stored a second time after a kill. */
  record(id: number): Promise<void>;
}

/** Takes the mails to addresses of one kind. Its key has at most 12 lower-case letters. */
export interface IncomingMailHandler extends Keyed {
  /**
   * In the name of the account that the address was made for, which may sign in; asks for its rights itself. A Problem
   * that is the sender's to solve (4xx) ends the mail, and its text is mailed to them; after another error it is tried again.
   */
  handle(subjectId: number, mail: IncomingMail, userId: number): Promise<void>;
}
/** Extension point: what answers by mail can be about. */
export const incomingMailHandlers = definePoint.keyed<IncomingMailHandler>('mail.incomingHandlers');

/** Knows the accounts that mails are taken from. */
export interface MailSenders {
  /** Where the account reads its mail; undefined: it is gone, or must not sign in. */
  find(userId: number): Promise<MailReceiver | undefined>;
}
/** Extension point: without it no mail is taken. */
export const mailSenders = definePoint.one<MailSenders>('mail.senders');
