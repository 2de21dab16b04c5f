/** For tests of plugins that send mail; not in the packed plugin. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ImapFlow } from 'imapflow';
import { freePort } from '@mortise/plugin-sdk/testing';
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

const dovecot = '/usr/sbin/dovecot';

/** A mail in the mailbox, as its owner sees it. */
interface StoredMail {
  readonly subject: string;
  readonly isSeen: boolean;
}

/** `cert.pem` and `key.pem` for 127.0.0.1, signed by itself. */
function makeCertificate(folder: string): void {
  const name = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')];
  const { status, stderr } = spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...name, ...files]);
  if (status !== 0) throw new Error(`openssl made no certificate: ${String(stderr)}`);
}

/** A real IMAP server of this machine with one mailbox, whose mails are put there by IMAP. */
export class ImapServer {
  #child: ChildProcess | undefined;

  private constructor(
    readonly folder: string,
    /** Encrypted only on request, by STARTTLS, where there is a certificate. */
    readonly port: number,
    /** Encrypted from the beginning; 0: the server has no certificate. */
    readonly tlsPort: number,
  ) {}

  static get isInstalled(): boolean {
    return existsSync(dovecot);
  }

  /** Listens on free ports; with a certificate that nobody vouches for, where that is wanted. */
  static async start({ tls = false } = {}): Promise<ImapServer> {
    const folderOf = mkdtempSync(join(tmpdir(), 'mortise-imap-'));
    const server = new ImapServer(folderOf, await freePort(), tls ? await freePort() : 0);
    const isRoot = process.getuid?.() === 0;
    const idOf = (flag: string) => Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout);
    const [uid, gid] = isRoot ? [idOf('-u'), idOf('-g')] : [userInfo().uid, userInfo().gid];
    const { folder, port, tlsPort } = server;
    if (tls) makeCertificate(folder);
    mkdirSync(join(folder, 'mail'));
    if (isRoot) for (const path of [folder, join(folder, 'mail')]) chownSync(path, uid, gid);
    const user = userInfo().username;
    writeFileSync(
      join(folder, 'dovecot.conf'),
      `protocols = imap
listen = 127.0.0.1
base_dir = ${folder}/run
log_path = ${folder}/log
${tls ? `ssl = yes\nssl_cert = <${folder}/cert.pem\nssl_key = <${folder}/key.pem` : 'ssl = no'}
disable_plaintext_auth = no
${isRoot ? '' : `default_internal_user = ${user}\ndefault_login_user = ${user}\n`}first_valid_uid = 1
first_valid_gid = 1
mail_location = maildir:${folder}/mail/%u
passdb {
  driver = static
  args = password=secret
}
userdb {
  driver = static
  args = uid=${uid} gid=${gid} home=${folder}/mail/%u
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = ${tlsPort}
    ssl = yes
  }
}
service anvil {
  chroot =
}
`,
    );
    await server.resume();
    return server;
  }

  /** `[email.incoming]` of a host that reads here. */
  get settings(): Record<string, string | number | boolean> {
    return {
      ENABLED: true,
      REPLY_TO_ADDRESS: 'incoming+%{token}@example.com',
      HOST: '127.0.0.1',
      PORT: this.port,
      USERNAME: 'forge',
      PASSWORD: 'secret',
    };
  }

  /** Lines that the server wrote, for tests that fail. */
  get log(): string {
    return readFileSync(join(this.folder, 'log'), 'utf8');
  }

  /** Starts it again after {@link ImapServer.stop}. */
  async resume(): Promise<void> {
    this.#child = spawn(dovecot, ['-F', '-c', join(this.folder, 'dovecot.conf')], { stdio: 'ignore' });
    for (const end = Date.now() + 60_000; !(await isListening(this.port));) {
      if (Date.now() > end) throw new Error(`dovecot does not answer: ${this.log}`);
      await sleep(50);
    }
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  /** Puts a mail there, unread. */
  async deliver(source: string): Promise<void> {
    await this.#within((client) => client.append('INBOX', source.replace(/\r?\n/g, '\r\n')));
  }

  async mails(): Promise<StoredMail[]> {
    return this.#within(async (client) => {
      const mailbox = await client.mailboxOpen('INBOX', { readOnly: true });
      if (mailbox.exists === 0) return [];
      const found = await client.fetchAll('1:*', { flags: true, envelope: true });
      return found.map(({ flags, envelope }) => ({
        subject: envelope?.subject ?? '',
        isSeen: flags?.has('\\Seen') ?? false,
      }));
    });
  }

  async empty(): Promise<void> {
    await this.#within(async (client) => {
      await client.mailboxOpen('INBOX');
      await client.messageDelete('1:*');
    });
  }

  async #within<T>(work: (client: ImapFlow) => Promise<T>): Promise<T> {
    const auth = { user: 'forge', pass: 'secret' };
    const at = { host: '127.0.0.1', port: this.port, secure: false, tls: { rejectUnauthorized: false } } as const;
    const client = new ImapFlow({ ...at, auth, logger: false });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.logout();
    }
  }
}

/** Waits until something is so; throws after a minute. */
export async function until(is: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 60_000; !(await is());) {
    if (Date.now() > end) throw new Error(`never so: ${is}`);
    await sleep(50);
  }
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => (socket.destroy(), resolve(true)));
    socket.on('error', () => resolve(false));
  });

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
