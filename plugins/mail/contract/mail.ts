/** The contract of `mail`: how other plugins write to people. Types, references and one check; no behaviour. */
import { defineEvent, defineJob, defineService, type Text } from '@mortise/plugin-sdk';
import type { MailSubject } from './incoming.js';

/** Whom a mail is for. */
export interface MailReceiver {
  readonly address: string;
  /** Shown beside the address. */
  readonly name?: string;
  /** Tag of the language that texts are made in, for instance an account's choice; default: the site's first. */
  readonly language?: string;
}

/**
 * A piece of a mail's body, in both of its forms: a text is a paragraph; `link` a button (in plain text the label and
 * the address); `quote` is shown as it is, in letters of one width; `html` was rendered and sanitized by the caller, and
 * `text` says the same in plain text.
 */
export type MailPart =
  | Text
  | { readonly link: string; readonly label: Text }
  | { readonly quote: string }
  | { readonly html: Text; readonly text: Text };

/** For mails that people can order and cancel, such as notifications. */
interface MailList {
  /** `owner/repository`, unique on this site; letters, digits and `-_./`. */
  readonly id: string;
  /** Address of the page that ends these mails. */
  readonly unsubscribe: string;
  /** A POST to `unsubscribe` ends them without a further question (RFC 8058). Default false. */
  readonly oneClick?: boolean;
}

/** What a mail is about, as its header says: `ada/mill #7` and the title below. */
export interface MailTopic {
  readonly scope: string;
  readonly title: string;
  readonly url: string;
}

/** Who may answer a mail by mail, and what the answer is about; holds where `[email.incoming]` is on. */
interface MailAnswers {
  /** The account that the mail is for: answers are taken in its name. */
  readonly userId: number;
  readonly subject: MailSubject;
  /** A mail to this one ends such mails. */
  readonly unsubscribe?: MailSubject;
}

export interface Mail {
  readonly to: MailReceiver;
  readonly subject: Text;
  /** Above the body. */
  readonly topic?: MailTopic;
  readonly body: readonly MailPart[];
  /** Why the receiver gets it, below the body: `You were mentioned`. */
  readonly reason?: Text;
  /** Further headers, for filters of mail programs; their names begin with `X-`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** On whose behalf, shown as the sender's name by `[mailer] FROM_DISPLAY_NAME_FORMAT`; the address stays the site's. */
  readonly onBehalfOf?: string;
  readonly replyTo?: string;
  /** Leads answers to a handler of the point `incomingMailHandlers`; comes before `replyTo`. */
  readonly answers?: MailAnswers;
  readonly list?: MailList;
  /** Left side of the Message-ID, for threads: letters, digits and `-_./`. Default: a random one. */
  readonly messageId?: string;
  /** Left sides of earlier mails of the thread, the one that is answered last. */
  readonly thread?: readonly string[];
}

/** So many mails about one thing within so many minutes. */
export interface MailLimit {
  readonly key: string;
  readonly max: number;
  readonly minutes: number;
}

export interface Mailer {
  /** `[mailer] ENABLED`. Nothing that needs mail is offered without it. */
  readonly isEnabled: boolean;
  /**
   * Stores the mail to be sent in the background; inside a transaction it goes with the commit. False when mail is off:
   * nothing is stored. Throws Invalid for an address that cannot have mail.
   */
  send(mail: Mail): Promise<boolean>;
  /**
   * Sends a short mail at once, for whoever sets mail up. Throws Unavailable with what the server said, Invalid for a
   * bad address and when mail is off.
   */
  test(to: MailReceiver): Promise<void>;
  /**
   * For mails that strangers can ask for: counts one more for each of the keys (a purpose with an address or a client;
   * kept unreadable), on all processes of the site. Gives the first key that has had its share, and then counts nothing.
   */
  allow(limits: readonly MailLimit[]): Promise<string | undefined>;
}
export const mailer = defineService<Mailer>('mail.mailer');

/** A mail was refused for good, or given up after the last attempt. */
export const mailUndeliverable = defineEvent<{ to: string; subject: string; reason: string }>('mail.undeliverable');

/** Forgets what {@link Mailer.allow} counted long ago. */
export const forgetMailLimits = defineJob<Record<string, never>>('mail.forgetLimits');

/** Sends one mail; the payload is encrypted. */
export const deliverMail = defineJob<{ sealed: string }>('mail.deliver');

/** Can it be the address of a mail? One name, one host, and nothing that could begin another header or receiver. */
export function isMailAddress(address: string): boolean {
  return (
    address.length <= 254 &&
    /^[^\s@<>()[\],;:\\"\p{C}-][^\s@<>()[\],;:\\"\p{C}]*@[^\s@<>()[\],;:\\"\p{C}]+$/u.test(address)
  );
}
