/** For tests of plugins that send mail; not in the packed plugin. */
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A mail as it arrived. */
interface ReceivedMail {
  readonly envelopeFrom: string;
  readonly to: readonly string[];
  /** By lower-case name, unfolded and decoded. */
  readonly headers: Readonly<Record<string, string>>;
  readonly subject: string;
  readonly text: string;
  /** Empty: plain text only. */
  readonly html: string;
  readonly raw: string;
  readonly wasEncrypted: boolean;
}

/** What the server says instead of taking a mail: after RCPT TO, once for each entry; undefined: it takes it. */
type Answer = { readonly code: number; readonly message: string } | undefined;

/** A mail server of this machine that keeps what it gets. */
export class PostOffice {
  readonly mails: ReceivedMail[] = [];
  /** Used up from the front. */
  answers: Answer[] = [];
  /** Names and passwords that were shown. */
  readonly signIns: string[] = [];
  readonly #server: SMTPServer;

  private constructor(options: SMTPServerOptions) {
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      logger: false,
      onAuth: ({ username, password }, _session, done) => {
        this.signIns.push(`${username}:${password}`);
        if (password === 'wrong') done(new Error('Invalid credentials'));
        else done(null, { user: username ?? '' });
      },
      onRcptTo: (_address, _session, done) => {
        const answer = this.answers.shift();
        done(answer && Object.assign(new Error(answer.message), { responseCode: answer.code }));
      },
      onData: (stream, session, done) => {
        const parts: Buffer[] = [];
        stream.on('data', (part: Buffer) => parts.push(part));
        stream.on('end', () => {
          const { mailFrom, rcptTo } = session.envelope;
          this.mails.push({
            ...parse(Buffer.concat(parts).toString('latin1')),
            envelopeFrom: mailFrom ? mailFrom.address : '',
            to: rcptTo.map(({ address }) => address),
            wasEncrypted: session.secure,
          });
          done();
        });
      },
      ...options,
    });
    // clients that do not trust the certificate end the connection
    this.#server.on('error', () => undefined);
  }

  /** Listens on a free port. */
  static async start(options: SMTPServerOptions = {}): Promise<PostOffice> {
    const office = new PostOffice(options);
    await new Promise<void>((resolve) => office.#server.listen(0, '127.0.0.1', resolve));
    return office;
  }

  /** `[mailer]` of a host that sends here. */
  get settings(): Record<string, string | number | boolean> {
    return { ENABLED: true, PROTOCOL: 'smtp', SMTP_ADDR: '127.0.0.1', SMTP_PORT: this.port, FROM: 'forge@example.com' };
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  /** The newest mail to that address. */
  mailTo(address: string): ReceivedMail {
    const mail = this.mails.findLast(({ to }) => to.includes(address));
    if (!mail)
      throw new Error(`no mail to ${address}; there are ${this.mails.map(({ to }) => to.join()).join(' ') || 'none'}`);
    return mail;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

/** The first address in a text that contains `part`, without the site's. */
export function linkIn({ text }: ReceivedMail, part: string): string {
  const found = [...text.matchAll(/https?:\/\/\S+/g)].map(([link]) => link).find((link) => link.includes(part));
  if (!found) throw new Error(`no link with ${part} in: ${text}`);
  const { pathname, search } = new URL(found);
  return `${pathname}${search}`;
}

interface Part {
  readonly headers: Readonly<Record<string, string>>;
  readonly content: string;
}

function split(raw: string): Part {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const lines = head.replace(/\r\n[ \t]+/g, ' ').split('\r\n');
  const headers = lines.map((line) => /^([^:]+):\s*(.*)$/.exec(line)?.slice(1) ?? [line, '']) as [string, string][];
  return {
    headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), words(value)])),
    content: rest.join('\r\n\r\n'),
  };
}

/** Encoded words of headers (RFC 2047). */
const words = (value: string): string =>
  value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([qb])\?([^?]*)\?=/gi, (_all, kind: string, text: string) =>
      kind.toLowerCase() === 'b' ? Buffer.from(text, 'base64').toString('utf8') : quoted(text.replaceAll('_', ' ')),
    );

function quoted(text: string): string {
  const bytes = text
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

function contentOf({ headers, content }: Part): string {
  const encoding = headers['content-transfer-encoding'];
  if (encoding === 'base64') return Buffer.from(content, 'base64').toString('utf8');
  return encoding === 'quoted-printable' ? quoted(content) : Buffer.from(content, 'latin1').toString('utf8');
}

function parse(raw: string): Pick<ReceivedMail, 'headers' | 'subject' | 'text' | 'html' | 'raw'> {
  const whole = split(raw);
  const boundary = /boundary="?([^";]+)/.exec(whole.headers['content-type'] ?? '')?.[1];
  const parts = boundary
    ? whole.content
        .split(`--${boundary}`)
        .slice(1, -1)
        .map((part) => split(part.replace(/^\r\n/, '')))
    : [whole];
  const ofType = (type: string) => parts.find(({ headers }) => headers['content-type']?.startsWith(type));
  const [text, html] = [ofType('text/plain'), ofType('text/html')];
  return {
    headers: whole.headers,
    subject: whole.headers.subject ?? '',
    text: text ? contentOf(text).replaceAll('\r\n', '\n') : '',
    html: html ? contentOf(html).replaceAll('\r\n', '\n') : '',
    raw,
  };
}
