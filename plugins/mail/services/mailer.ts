import {
  Invalid,
  Problem,
  type Database,
  type Events,
  type JobContext,
  type Jobs,
  type Languages,
  type Site,
} from '@mortise/plugin-sdk';
import {
  deliverMail,
  mailUndeliverable,
  type Mail,
  type Mailer,
  type MailLimit,
  type MailReceiver,
} from '../contract/mail.js';
import type { MailSettings } from '../settings.js';
import { t } from '../texts/index.js';
import { makeMessage, type Message } from './message.js';
import type { Limits } from './limits.js';
import type { MailEncryption } from './mail-encryption.js';
import type { ReplyAddresses } from './reply-addresses.js';
import { Refused, type Transport } from './transport.js';

interface MailerDeps {
  readonly database: Database;
  readonly events: Events;
  readonly jobs: Jobs;
  readonly languages: Languages;
  readonly site: Site;
  readonly settings: MailSettings;
  readonly limits: Limits;
  readonly addresses: ReplyAddresses;
  readonly encryption: MailEncryption;
  readonly transport: Transport;
}

/** With {@link pauseAfter} about a day: as long as mail servers try themselves. */
export const attempts = 10;

/** Greylisting lets a mail in after some minutes; a server that is away may need hours. */
export const pauseAfter = (attempt: number): number => Math.min(6 * 3_600_000, 60_000 * 3 ** (attempt - 1));

/** Whoever set mail up waits for the answer, but not for ever. */
const testMs = 20_000;

/** Takes mails, and sends them in the background. */
export class MailService implements Mailer {
  constructor(private readonly deps: MailerDeps) {}

  get isEnabled(): boolean {
    return this.deps.settings.ENABLED;
  }

  async send(mail: Mail): Promise<boolean> {
    if (!this.isEnabled) return false;
    const { jobs, encryption } = this.deps;
    const encrypted = encryption.encrypt(makeMessage(mail, this.deps));
    await jobs.enqueue(
      deliverMail,
      { sealed: encrypted },
      { group: mail.to.address.split('@').at(-1)!.toLowerCase().slice(0, 60) },
    );
    return true;
  }

  async test(to: MailReceiver): Promise<void> {
    if (!this.isEnabled) throw Invalid(t.later('error.disabled'));
    const { site, transport } = this.deps;
    const message = makeMessage(
      {
        to,
        subject: t.later('test.subject', { site: site.name }),
        body: [t.later('test.text', { site: site.name })],
      },
      this.deps,
    );
    try {
      await transport.send(message, AbortSignal.timeout(testMs));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      throw new Problem('unavailable', t.later('error.test', { reason: error.message }));
    }
  }

  allow(limits: readonly MailLimit[]): Promise<string | undefined> {
    return this.deps.limits.allow(limits);
  }

  /** One attempt. Throws while another one makes sense. */
  async deliver(encrypted: string, { attempt, signal, log }: JobContext): Promise<void> {
    const message = this.deps.encryption.decrypt(encrypted) as Message | undefined;
    // with the secret of the installation its links have become void as well
    if (!message)
      return log.warn('dropped a mail that was stored with another SECRET_KEY', { event: 'mail.undecryptable' });
    try {
      await this.deps.transport.send(message, signal);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const isLast = error.isFinal || attempt >= attempts;
      if (isLast && !signal.aborted) await this.#giveUp(message, error.message);
      if (!error.isFinal) throw error;
      log.warn('a mail was rejected for good', {
        event: 'mail.rejected',
        messageId: message.messageId,
        reason: error.message,
      });
    }
  }

  async #giveUp({ to, subject }: Message, reason: string): Promise<void> {
    const { database, events } = this.deps;
    await database.write(() =>
      events.emit(mailUndeliverable, { to: to.address, subject, reason: reason.slice(0, 500) }),
    );
  }
}
