import { defineService, type RouteContext } from '@mortise/plugin-sdk';
import type { Mail } from '@mortise/mail/api';
import type { Account } from './account.js';

/** A mail to somebody with an account. */
export type MailToAccount = Omit<Mail, 'to'> & {
  /** Default: the account's primary address. */
  readonly address?: string;
  /** Used where the account has not chosen one, for instance what the visitor's browser asks for. */
  readonly language?: string;
};

/** What language a visitor chose, or else what the browser asks for first; for mails to accounts that have chosen none. */
export function preferredLanguage({ cookies, headers }: Pick<RouteContext, 'cookies' | 'headers'>): string {
  return cookies['lang'] ?? /^[\w-]{1,35}/.exec(headers['accept-language'] ?? '')?.[0] ?? '';
}

/** Mail to accounts, in their language. Also there without the plugin `mail`, and then off. */
export interface AccountMail {
  /** Nothing that needs mail is offered without it. */
  readonly isEnabled: boolean;
  /**
   * Stores the mail to be sent in the background, in the open transaction where there is one; begins with a greeting.
   * Also for notices of what has happened to an account, such as a second factor. False when mail is off.
   */
  send(account: Account, mail: MailToAccount): Promise<boolean>;
  /**
   * For mails that a visitor asks for: counts one more for the client's network and one for the address, on all
   * processes. `client`: this client has had its share, and may be told so; `address`: this address has, and to say so
   * would tell that somebody has it.
   */
  allow(purpose: string, asked: { client: string; address: string }): Promise<'yes' | 'client' | 'address'>;
}
export const accountMail = defineService<AccountMail>('accounts.mail');

/** What a code of {@link AccountCodes} is for. */
export interface CodeOf {
  /** Codes of one purpose are worth nothing for another. */
  readonly purpose: string;
  readonly userId: number;
  /** What it is about, for instance the id of an address; default 0. */
  readonly subjectId?: number;
  /** Has to be the same when the code is used: put in what its use changes, and it can be used once. */
  readonly bound: string;
}

/**
 * Codes for links in mails: who has one has read the mail. They are not stored; they end with their time, with what they
 * are bound to, and with the account's password.
 */
export interface AccountCodes {
  /** `[service] ACTIVE_CODE_LIVE_MINUTES`: how long codes that confirm something live. */
  readonly activeMinutes: number;
  make(code: CodeOf, minutes: number): Promise<string>;
  /**
   * Whom a code is for, or undefined when it is wrong or too old. `bound` gives what must still be the same; undefined
   * from it refuses.
   */
  read(
    purpose: string,
    code: string,
    bound: (of: { userId: number; subjectId: number }) => Promise<string | undefined>,
  ): Promise<{ userId: number; subjectId: number } | undefined>;
}
export const accountCodes = defineService<AccountCodes>('accounts.codes');
