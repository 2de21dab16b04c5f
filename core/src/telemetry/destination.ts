import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';

/** What waits to be written; beyond that lines are dropped and counted. */
const maxBytes = 4 * 1024 * 1024;
const retryMs = 5;
/** So long the end of the process waits for a reader that is behind. */
const lastMs = 500;

interface LogDestinationOptions {
  /** The line that tells, once writing works again, how many lines were lost. */
  readonly lost?: (count: number, reason: string) => string;
  /** Called when a line is lost, once until writing works again. */
  readonly failed?: (reason: string) => void;
}

/**
 * Where log lines go. A disk that is full, a pipe that is closed or that nobody reads cost lines and nothing else: no
 * error leaves this class, and nothing ever waits for whoever reads the log.
 */
export class LogDestination {
  readonly #descriptor: () => number;
  readonly #options: LogDestinationOptions;
  /** Lines, or the rest of one, for a pipe that is full. */
  #waiting: Buffer[] = [];
  #bytes = 0;
  #isBehind = false;
  #timer: NodeJS.Timeout | undefined;
  #lost = 0;
  #reason = '';
  #isMidLine = false;

  /** @param target A descriptor, or what gives the one to write the next lines to, and may throw. */
  constructor(target: number | (() => number), options: LogDestinationOptions = {}) {
    const descriptor = typeof target === 'number' ? withoutWaiting(target) : undefined;
    this.#descriptor = typeof target === 'number' ? () => descriptor! : target;
    this.#options = options;
  }

  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.#bytes > 0) this.#keep(bytes);
    else this.#try(bytes);
  }

  /** Writes what can be written at once. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const all = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    for (const [n, bytes] of all.entries()) {
      this.#try(bytes);
      if (this.#bytes === 0) continue;
      for (const rest of all.slice(n + 1)) this.#keep(rest);
      return;
    }
    this.#isBehind = false;
    process.off('exit', this.#atExit);
  }

  readonly #atExit = () => {
    const pause = new Int32Array(new SharedArrayBuffer(4));
    for (const until = Date.now() + lastMs; this.#bytes > 0 && Date.now() < until;) {
      this.flush();
      if (this.#bytes > 0) Atomics.wait(pause, 0, 0, retryMs);
    }
  };

  #keep(bytes: Buffer): void {
    if (this.#bytes + bytes.length > maxBytes) return this.#lose('nobody reads the log');
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
    this.#timer ??= setTimeout(() => this.flush(), retryMs).unref();
    if (this.#isBehind) return;
    this.#isBehind = true;
    process.on('exit', this.#atExit);
  }

  #try(line: Buffer): void {
    const lost = this.#lost;
    const bytes = lost || this.#isMidLine ? Buffer.concat([this.#before(), line]) : line;
    let at = 0;
    try {
      const descriptor = this.#descriptor();
      while (at < bytes.length) {
        at += writeSync(descriptor, bytes, at);
        this.#lost = 0;
      }
      this.#isMidLine = false;
    } catch (error) {
      const { code = String(error) } = error as NodeJS.ErrnoException;
      if (code !== 'EAGAIN' && code !== 'EINTR') {
        this.#isMidLine ||= at > 0;
        this.#lose(code);
      } else if (at > 0) this.#keep(bytes.subarray(at));
      else {
        this.#lost = lost;
        this.#keep(line);
      }
    }
  }

  /** The end of a line that was broken off, and word of those that were lost. */
  #before(): Buffer {
    const { lost = (count) => `${count} log lines were lost\n` } = this.#options;
    return Buffer.from(`${this.#isMidLine ? '\n' : ''}${this.#lost ? lost(this.#lost, this.#reason) : ''}`);
  }

  #lose(reason: string): void {
    this.#lost++;
    this.#reason = reason;
    if (this.#lost === 1) this.#options.failed?.(reason);
  }
}

/** Standard output and error belong to the process, whatever hosts live in it. */
const switched = new Map<number, number>();

/**
 * A descriptor that refuses instead of waiting. Files and terminals take what they are given. A named or unnamed pipe is
 * opened once more, so that others who share it notice nothing; a socket cannot be, and is switched over for all.
 */
function withoutWaiting(descriptor: number): number {
  let own = switched.get(descriptor);
  if (own === undefined) switched.set(descriptor, (own = switchOver(descriptor)));
  return own;
}

function switchOver(descriptor: number): number {
  try {
    const about = fstatSync(descriptor);
    if (about.isFIFO() && process.platform === 'linux')
      return openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK);
    // Opening it as a stream is what switches it; nothing is ever read, written or closed by way of the stream.
    if (about.isFIFO() || about.isSocket())
      new Socket({ fd: descriptor, readable: false, writable: true }).on('error', () => undefined).unref();
  } catch {
    // It stays as it is.
  }
  return descriptor;
}
