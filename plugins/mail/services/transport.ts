import { createConnection } from 'node:net';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Logger } from '@mortise/plugin-sdk';
import type { Transporter } from 'nodemailer';
import { milliseconds, portOf, protocolOf, wordsOf, type MailSettings } from '../settings.js';
import type { Message } from './message.js';
import { runSendmail } from './sendmail.js';

/** A server that does not answer holds up its job, not the site. */
function timeoutsOf({ SMTP_TIMEOUT }: MailSettings) {
  const socketTimeout = milliseconds(SMTP_TIMEOUT);
  const first = Math.min(30_000, socketTimeout);
  return { socketTimeout, connectionTimeout: first, greetingTimeout: first, dnsTimeout: first };
}

/** What the server said to a mail. */
export class Refused extends Error {
  /** `isFinal`: it will say the same tomorrow. */
  constructor(
    message: string,
    readonly isFinal: boolean,
  ) {
    super(message);
  }
}

interface SmtpError extends Error {
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
  readonly response?: string;
}

/** Of what nodemailer throws only the words, never its fields: those may hold what was sent. */
function refusal(thrown: unknown): Refused {
  const error = thrown as SmtpError;
  const code = error.responseCode ?? 0;
  const about = error.command ?? '';
  // 5xx to the receiver or the content is about this mail; to anything else it is about how mail is set up
  const isFinal = code >= 500 && (about === 'RCPT TO' || about === 'DATA');
  return new Refused(error.message || 'the mail server refused', isFinal);
}

/** The way out. nodemailer is loaded with the first mail. */
export class Transport {
  constructor(
    private readonly settings: MailSettings,
    private readonly workDir: string,
    private readonly log: Pick<Logger, 'info'>,
  ) {}

  /** Throws {@link Refused}. */
  async send(message: Message, signal?: AbortSignal): Promise<void> {
    const protocol = protocolOf(this.settings);
    if (protocol === 'dummy')
      return this.log.info('mail was not sent: [mailer] PROTOCOL is dummy', { event: 'mail.dummy', ...about(message) });
    try {
      if (protocol === 'sendmail') await this.#sendmail(message, signal);
      else {
        const transporter = await this.#smtp();
        await transporter.sendMail({ ...nodemailerMessage(message), ...(signal ? { signal } : {}) });
      }
    } catch (error) {
      throw error instanceof Refused ? error : refusal(error);
    }
  }

  /** Connects and signs in, without a mail. Throws {@link Refused}. */
  async verify(): Promise<void> {
    const protocol = protocolOf(this.settings);
    if (protocol === 'dummy' || protocol === 'sendmail') return;
    try {
      await (await this.#smtp()).verify();
    } catch (error) {
      throw refusal(error);
    }
  }

  async #smtp(): Promise<Transporter> {
    const { settings, workDir } = this;
    const protocol = protocolOf(settings);
    if (!settings.SMTP_ADDR) throw new Refused('[mailer] SMTP_ADDR is not set', false);
    const { createTransport } = await import('nodemailer');
    const read = (file: string) => readFile(resolve(workDir, file));
    const certificate = settings.USE_CLIENT_CERT
      ? { cert: await read(settings.CLIENT_CERT_FILE), key: await read(settings.CLIENT_KEY_FILE) }
      : {};
    return createTransport({
      host: protocol === 'smtp+unix' ? 'localhost' : settings.SMTP_ADDR,
      port: portOf(settings),
      secure: protocol === 'smtps',
      requireTLS: protocol === 'smtp+starttls',
      ignoreTLS: protocol === 'smtp' || protocol === 'smtp+unix',
      name: settings.ENABLE_HELO ? settings.HELO_HOSTNAME || hostname() : 'localhost',
      tls: { rejectUnauthorized: !settings.FORCE_TRUST_SERVER_CERT, ...certificate },
      ...(settings.USER ? { auth: { user: settings.USER, pass: settings.PASSWD } } : {}),
      // what a mail says must not make the server read files or fetch addresses
      disableFileAccess: true,
      disableUrlAccess: true,
      logger: false,
      ...timeoutsOf(settings),
      ...(protocol === 'smtp+unix' ? { getSocket: socketAt(settings.SMTP_ADDR) } : {}),
    } as Parameters<typeof createTransport>[0]) as Transporter;
  }

  async #sendmail(message: Message, signal: AbortSignal | undefined): Promise<void> {
    const { settings } = this;
    const { createTransport } = await import('nodemailer');
    const made = (await createTransport({
      streamTransport: true,
      buffer: true,
      newline: settings.SENDMAIL_CONVERT_CRLF ? 'unix' : 'windows',
      disableFileAccess: true,
      disableUrlAccess: true,
    }).sendMail(nodemailerMessage(message))) as unknown as { message: Buffer };
    await runSendmail(
      settings.SENDMAIL_PATH,
      ['-f', message.envelopeFrom || '<>', '-i', ...wordsOf(settings.SENDMAIL_ARGS), message.to.address],
      made.message,
      { timeoutMs: milliseconds(settings.SENDMAIL_TIMEOUT), signal },
    );
  }
}

/** What may be logged of a mail: no content, and of the receiver only the host. */
const about = ({ to, messageId }: Message) => ({ toHost: to.address.split('@').at(-1), messageId });

type SocketCallback = (error: Error | null, socket?: { connection: ReturnType<typeof createConnection> }) => void;

const socketAt = (path: string) => (_options: unknown, callback: SocketCallback) => {
  const connection = createConnection(path);
  connection.once('error', callback);
  connection.once('connect', () => {
    connection.removeListener('error', callback);
    callback(null, { connection });
  });
};

const nodemailerMessage = (message: Message) => ({
  from: message.from,
  to: message.to,
  envelope: { from: message.envelopeFrom, to: [message.to.address] },
  ...(message.replyTo ? { replyTo: message.replyTo } : {}),
  subject: message.subject,
  text: message.text,
  ...(message.html === undefined ? {} : { html: message.html }),
  messageId: message.messageId,
  references: [...(message.answerReference ? [message.answerReference] : []), ...message.references],
  ...(message.references.length ? { inReplyTo: message.references.at(-1) } : {}),
  headers: { ...message.headers },
});
