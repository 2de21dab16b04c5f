import { createHash } from 'node:crypto';
import { Problem, TooLarge, formatSize, type Database, type Logger, type PointReader } from '@mortise/plugin-sdk';
import { ThreadFailure } from '@mortise/plugin-sdk/threads';
import type { IncomingMailHandler, MailSenders } from '../contract/incoming.js';
import type { Mailer, MailReceiver } from '../contract/mail.js';
import { IncomingMailRow } from '../models/incoming-mail.js';
import { t } from '../texts/index.js';
import { isAutomatic } from './automatic-mail.js';
import type { ParsedMail } from './parse-mail.js';
import type { ReplyAddresses } from './reply-addresses.js';

interface IncomingMailDeps {
  readonly database: Database;
  readonly addresses: ReplyAddresses;
  readonly handlers: PointReader<IncomingMailHandler>;
  readonly senders: PointReader<MailSenders>;
  readonly mailer: Pick<Mailer, 'isEnabled' | 'send' | 'allow'>;
  /** Rejects with {@link ThreadFailure}. */
  readonly parse: (source: Uint8Array) => Promise<ParsedMail>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** `[email.incoming] MAXIMUM_MESSAGE_SIZE` */
  readonly maxBytes: number;
}

/** A mail as it lies in the mailbox; of one that is too large the headers alone. */
export interface ReceivedMail {
  readonly source: Uint8Array;
  readonly isTooLarge: boolean;
}

/** `passedOver`: nothing came of it, and the next time nothing would. */
type MailOutcome = 'handled' | 'passedOver';

/** Somebody's mail to something of this site. */
interface Answer {
  readonly mail: ParsedMail;
  readonly key: string;
  readonly handler: IncomingMailHandler;
  readonly subjectId: number;
  readonly userId: number;
  readonly receiver: MailReceiver;
}

const dayMs = 86_400_000;
/** As long as a mail may lie in the mailbox and be seen a second time. */
const retentionMs = 90 * dayMs;
const sweptAtOnce = 1000;
/** What is given back of a mail that was not taken. */
const maxQuote = 2000;
const oneRefusalAnHour = { max: 1, minutes: 60 };

/** Takes what people send to the addresses of this site, each mail once. */
export class IncomingMailService {
  constructor(private readonly deps: IncomingMailDeps) {}

  /** Throws where a second attempt makes sense. */
  async take({ source, isTooLarge }: ReceivedMail): Promise<MailOutcome> {
    const mail = await this.#parse(source);
    const answer = mail && (await this.#answer(mail, source));
    if (!answer) return 'passedOver';
    const known = await this.deps.database.query(IncomingMailRow).findById(answer.key);
    if (known?.is_finished) {
      this.deps.log.info('an incoming mail was taken before', { event: 'mail.incoming.repeated', ...about(answer) });
      return 'passedOver';
    }
    try {
      if (isTooLarge) throw TooLarge(t.later('error.incomingSize', { size: () => formatSize(this.deps.maxBytes) }));
      await this.#handle(answer, known);
    } catch (error) {
      if (!Problem.is(error) || error.status >= 500) throw error;
      await this.#refuse(answer, error);
      return 'passedOver';
    }
    this.deps.log.info('took an incoming mail', { event: 'mail.incoming.taken', ...about(answer) });
    return 'handled';
  }

  /** Forgets mails that no mailbox holds any more. */
  async sweep(): Promise<void> {
    const { database } = this.deps;
    const old = () =>
      database
        .query(IncomingMailRow)
        .select('mail_key')
        .where('received_at', '<', Date.now() - retentionMs)
        .limit(sweptAtOnce);
    for (let rows = await old(); rows.length > 0; rows = await old()) {
      const keys = rows.map((row) => row.mail_key);
      await database.write(() => database.query(IncomingMailRow).delete().whereIn('mail_key', keys));
    }
  }

  async #parse(source: Uint8Array): Promise<ParsedMail | undefined> {
    try {
      return await this.deps.parse(source);
    } catch (error) {
      if (!(error instanceof ThreadFailure)) throw error;
      this.deps.log.warn('could not read an incoming mail', {
        event: 'mail.incoming.unreadable',
        reason: error.message,
      });
      return undefined;
    }
  }

  /** Undefined: nobody may answer so, and the log says why. Nobody is told by mail: who sent it is not known. */
  async #answer(mail: ParsedMail, source: Uint8Array): Promise<Answer | undefined> {
    const { addresses, handlers, senders, log } = this.deps;
    const { messageId, from } = mail;
    if (isAutomatic(mail.headers) || addresses.tokensIn(from).length > 0) {
      log.info('passed over an automatic mail', { event: 'mail.incoming.automatic', messageId });
      return undefined;
    }
    const tokens = addresses.tokensIn(mail.addressed);
    const token = tokens.find((one) => addresses.read(one));
    const found = token === undefined ? undefined : addresses.read(token);
    if (!found) {
      log.warn(tokens.length ? 'passed over a mail with a false token' : 'passed over a mail without a token', {
        event: 'mail.incoming.token',
        messageId,
        tokens: tokens.length,
      });
      return undefined;
    }
    const { subject, userId } = found;
    const handler = handlers.get(subject.kind);
    const receiver = await senders.list()[0]?.find(userId);
    if (!handler || !receiver) {
      log.warn(
        handler ? 'passed over a mail of an account that must not sign in' : 'no plugin takes mails of this kind',
        {
          event: 'mail.incoming.sender',
          messageId,
          kind: subject.kind,
          userId,
        },
      );
      return undefined;
    }
    const key = createHash('sha256')
      .update(messageId || source)
      .update(`\n${token}`)
      .digest('hex');
    return { mail, key, handler, subjectId: subject.id, userId, receiver };
  }

  async #handle({ mail, key, handler, subjectId, userId }: Answer, known: IncomingMailRow | undefined): Promise<void> {
    const { database } = this.deps;
    const { text, attachments } = mail;
    const record = (id: number) =>
      database.write(
        async () =>
          void (await database
            .query(IncomingMailRow)
            .insert({ mail_key: key, subject_id: id, is_finished: false, received_at: Date.now() })),
      );
    await handler.handle(
      subjectId,
      { text, attachments, recordedId: known && Number(known.subject_id), record },
      userId,
    );
    await database.write(() => this.#finish(key));
  }

  async #finish(key: string): Promise<void> {
    await this.deps.database
      .query(IncomingMailRow)
      .insert({ mail_key: key, subject_id: 0, is_finished: true, received_at: Date.now() })
      .onConflict('mail_key')
      .merge(['is_finished']);
  }

  /** Whose address it was is told what to do, but not again and again: their program may answer that as well. */
  async #refuse(answer: Answer, problem: Problem): Promise<void> {
    const { database, mailer, log } = this.deps;
    const { key, mail, receiver, userId } = answer;
    log.warn(`did not take an incoming mail: ${problem.message}`, { event: 'mail.incoming.refused', ...about(answer) });
    const full = mailer.isEnabled
      ? await mailer.allow([{ key: `incoming mail of ${userId} refused`, ...oneRefusalAnHour }])
      : 'off';
    await database.write(async () => {
      await this.#finish(key);
      if (full !== undefined) return;
      await mailer.send({
        to: receiver,
        subject: t.later('refused.subject', { subject: mail.subject }),
        body: [t.later('refused.text'), problem.text, ...(mail.text ? [{ quote: mail.text.slice(0, maxQuote) }] : [])],
      });
    });
  }
}

/** What may be logged of a mail: nothing that somebody wrote. */
const about = ({ mail, handler, subjectId, userId }: Answer) => ({
  messageId: mail.messageId,
  kind: handler.key,
  subjectId,
  userId,
});
