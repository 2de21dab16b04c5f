/**
 * The client's side of one command: what it sends, its standard output and standard error. One write at a time, and
 * none before there is room: in the window of the channel, and in the socket below it, which the library does not ask.
 */
import type { Socket } from 'node:net';
import { Transform, type Readable } from 'node:stream';
import type { ServerChannel } from 'ssh2';

/** Bytes that may wait in the socket. */
const maxWaiting = 1024 * 1024;

const lastWordMs = 100;

/** Rests of writes that the library keeps after they are done, and would send again (ssh2 1.17, Channel.js). */
interface Leftovers {
  _chunk?: unknown;
  _chunkcb?: unknown;
  _chunkErr?: unknown;
  _chunkcbErr?: unknown;
}

export class Terminal {
  readonly input: Readable;
  private readonly ending = new AbortController();
  private last: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly channel: ServerChannel,
    private readonly socket: Socket,
    private readonly options: { idleMs: number; isTerminal: boolean },
  ) {
    const touch = () => this.touch();
    this.input = channel.pipe(
      new Transform({
        transform(chunk, _encoding, done) {
          touch();
          done(null, chunk);
        },
      }),
    );
    this.input.on('error', () => undefined);
    channel.on('error', () => undefined);
    channel.stderr.on('error', () => undefined);
    channel.once('close', () => this.abort());
    socket.once('close', this.gone);
    touch();
  }

  /** Aborted when the client is gone, idle for too long, or told to end. */
  get signal(): AbortSignal {
    return this.ending.signal;
  }

  abort(): void {
    this.ending.abort();
    this.input.destroy();
  }

  /** Says why, as far as there is room for it, and ends. */
  end(reason: string): void {
    this.err(reason).catch(() => undefined);
    setTimeout(() => this.abort(), lastWordMs).unref();
  }

  write(data: string | Buffer): Promise<void> {
    return this.send(data, false);
  }

  err(data: string | Buffer): Promise<void> {
    return this.send(data, true);
  }

  async pump(source: Readable): Promise<void> {
    const stop = () => source.destroy();
    this.signal.addEventListener('abort', stop, { once: true });
    if (this.signal.aborted) stop();
    try {
      for await (const chunk of source as AsyncIterable<Buffer>) await this.write(chunk);
    } catch (error) {
      if (!this.signal.aborted) throw error;
    } finally {
      this.signal.removeEventListener('abort', stop);
    }
  }

  /** The last word. */
  async exit(code: number): Promise<void> {
    await this.last.catch(() => undefined);
    clearTimeout(this.timer);
    this.socket.off('close', this.gone);
    this.channel.exit(code);
    this.channel.end();
    // what else comes is read and dropped, so that the end is seen
    this.channel.unpipe();
    this.channel.resume();
    this.timer = setTimeout(() => this.socket.destroy(), this.options.idleMs);
    this.timer.unref();
    this.channel.once('close', () => clearTimeout(this.timer));
    this.socket.once('close', () => clearTimeout(this.timer));
  }

  private readonly gone = () => this.abort();

  private touch(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.end('Nothing came for too long.\n'), this.options.idleMs);
    this.timer.unref();
  }

  private send(data: string | Buffer, isError: boolean): Promise<void> {
    const text = typeof data === 'string' && this.options.isTerminal ? data.replace(/\r?\n/g, '\r\n') : data;
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    const next = this.last.then(() => this.sendNow(bytes, isError));
    this.last = next.catch(() => undefined);
    return next;
  }

  private async sendNow(bytes: Buffer, isError: boolean): Promise<void> {
    if (!bytes.length) return;
    if (this.socket.writableLength > maxWaiting) await this.until((done) => this.socket.once('drain', done));
    // the library writes packet by packet: they go out together
    this.socket.cork();
    process.nextTick(() => this.socket.uncork());
    await this.until((done) => (isError ? this.channel.stderr : this.channel).write(bytes, done));
    const rest = this.channel as unknown as Leftovers;
    rest._chunk = rest._chunkcb = rest._chunkErr = rest._chunkcbErr = undefined;
    this.touch();
  }

  /** Waits, but not for somebody who is gone. */
  private until(begin: (done: () => void) => void): Promise<void> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const stop = () => reject(new Error('the client is gone'));
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop, { once: true });
      begin(() => {
        signal.removeEventListener('abort', stop);
        resolve();
      });
    });
  }
}
