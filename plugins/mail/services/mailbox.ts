import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeout } from '@mortise/plugin-sdk';
import type { ImapFlow } from 'imapflow';
import type { IncomingMailSettings } from '../settings.js';
import type { ReceivedMail } from './incoming-mail.js';

/** Milliseconds: to connect, for each command, and for silence of the connection. */
const connectMs = 30_000;
const commandMs = 60_000;
const socketMs = 180_000;
/** Mails that are looked at in one go. */
const maxUnseen = 100;
/** Headers of mails that are too large are read up to here. */
const maxHeaders = 256 * 1024;

export const portOf = ({ PORT, USE_TLS }: IncomingMailSettings): number => PORT || (USE_TLS ? 993 : 143);

/** The folder that answers come to, on one connection by IMAP. The client is loaded with the first. */
export class Mailbox {
  /** The server spoke of new mails since the last search. */
  #hasNews = false;

  private constructor(
    private readonly client: ImapFlow,
    private readonly maxBytes: number,
  ) {
    client.on('exists', () => (this.#hasNews = true));
  }

  static async open(settings: IncomingMailSettings): Promise<Mailbox> {
    const { ImapFlow } = await import('imapflow');
    const client = new ImapFlow({
      host: settings.HOST,
      port: portOf(settings),
      secure: settings.USE_TLS,
      auth: { user: settings.USERNAME, pass: settings.PASSWORD },
      tls: { rejectUnauthorized: !settings.SKIP_TLS_VERIFY },
      logger: false,
      disableAutoIdle: true,
      connectionTimeout: connectMs,
      greetingTimeout: connectMs,
      socketTimeout: socketMs,
    });
    // what goes wrong is said by the command that it keeps from ending
    client.on('error', () => undefined);
    const mailbox = new Mailbox(client, settings.MAXIMUM_MESSAGE_SIZE);
    try {
      await mailbox.#within('to connect', () => client.connect());
      await mailbox.#within('to open the folder', () => client.mailboxOpen(settings.MAILBOX));
    } catch (error) {
      mailbox.close();
      throw new Error(reasonOf(error), { cause: error });
    }
    return mailbox;
  }

  get isOpen(): boolean {
    return this.client.usable;
  }

  /** Numbers of mails that nobody has looked at, the oldest first. */
  async unseen(): Promise<number[]> {
    this.#hasNews = false;
    const found = await this.#within('the search', () =>
      this.client.search({ seen: false, deleted: false }, { uid: true }),
    );
    const all = (found || []).toSorted((one, other) => one - other);
    if (all.length > maxUnseen) this.#hasNews = true;
    return all.slice(0, maxUnseen);
  }

  /** Undefined: it is gone. */
  async read(uid: number): Promise<ReceivedMail | undefined> {
    const fetch = async (maxLength: number) => {
      const query = { size: true, source: { start: 0, maxLength } };
      const found = await this.#within('a mail', () => this.client.fetchOne(String(uid), query, { uid: true }));
      return found && found.source ? { source: found.source, size: found.size ?? 0 } : undefined;
    };
    const sized = await this.#within('the size of a mail', () =>
      this.client.fetchOne(String(uid), { size: true }, { uid: true }),
    );
    if (!sized) return undefined;
    const isLarge = (sized.size ?? 0) > this.maxBytes;
    // servers may be wrong about sizes
    const found = await fetch(isLarge ? Math.min(maxHeaders, this.maxBytes) : this.maxBytes + 1);
    if (!found) return undefined;
    const isTooLarge = isLarge || found.source.length > this.maxBytes;
    return { source: isTooLarge ? headersOf(found.source) : found.source, isTooLarge };
  }

  async finish(uid: number, { isDeleted }: { readonly isDeleted: boolean }): Promise<void> {
    const range = String(uid);
    await this.#within('a mark', () =>
      isDeleted
        ? this.client.messageDelete(range, { uid: true })
        : this.client.messageFlagsAdd(range, ['\\Seen'], { uid: true }),
    );
  }

  /** Resolves when there may be new mails: the server says so, or the time is over. */
  async waitForNews(milliseconds: number, signal: AbortSignal): Promise<void> {
    // what came while others were read
    if (this.#hasNews) return;
    const { client } = this;
    const over = new AbortController();
    const end = () => over.abort();
    client.once('exists', end).once('close', end);
    signal.addEventListener('abort', end);
    // ends with the next command
    client.idle().catch(end);
    await sleep(milliseconds, undefined, { signal: over.signal, ref: false }).catch(() => undefined);
    client.off('exists', end).off('close', end);
    signal.removeEventListener('abort', end);
  }

  close(): void {
    this.client.close();
  }

  #within<T>(what: string, work: () => Promise<T>): Promise<T> {
    return withTimeout(commandMs, `the IMAP server (${what})`, work);
  }
}

/** Up to the empty line. */
function headersOf(source: Buffer): Buffer {
  const end = source.indexOf('\r\n\r\n');
  return end < 0 ? source : source.subarray(0, end + 4);
}

/** What the server said, where it said something: the words of the client alone are `Command failed`. */
function reasonOf(error: unknown): string {
  const { message = String(error), responseText } = error as { message?: string; responseText?: string };
  return responseText ?? message;
}
