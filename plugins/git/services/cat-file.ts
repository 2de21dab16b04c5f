/** Pooled `git cat-file --batch-command` processes: object reads without starting a process each time. */
import type { GitChild } from '../api.js';
import type { ObjectType } from '../contract/names.js';
import type { GitRunner } from './git-runner.js';

interface RawObject {
  readonly oid: string;
  readonly type: ObjectType;
  readonly size: number;
  /** Absent for `info`. */
  readonly content?: Buffer;
}

interface Request {
  readonly contents: boolean;
  resolve(answer: RawObject | undefined): void;
  reject(error: Error): void;
}

const idleMs = 60_000;
const largeObject = 256 * 1024;

/** One process; requests are answered in order, so many can be under way. */
class Reader {
  readonly waiting: Request[] = [];
  lastUsed = Date.now();
  dead = false;
  private readonly child: GitChild;
  private chunks: Buffer[] = [];
  private length = 0;
  /** Header of the object whose content is arriving. */
  private pending: { oid: string; type: ObjectType; size: number } | undefined;

  constructor(
    runner: GitRunner,
    cwd: string,
    /** Where the folder lies. */
    readonly place: string,
    environment: Readonly<Record<string, string>> | undefined,
    onEnd: () => void,
  ) {
    this.child = runner.start(['cat-file', '--batch-command'], { cwd, environment });
    this.child.stderr.resume();
    this.child.stdout.on('data', (chunk: Buffer) => {
      this.chunks.push(chunk);
      this.length += chunk.length;
      this.consume();
    });
    const end = () => {
      this.dead = true;
      for (const request of this.waiting.splice(0)) request.reject(new Error('the object reader ended'));
      onEnd();
    };
    this.child.once('error', end);
    this.child.once('close', end);
    // idle readers do not keep the program alive
    this.child.unref();
    (this.child.stdout as unknown as { unref?(): void }).unref?.();
    (this.child.stderr as unknown as { unref?(): void }).unref?.();
    (this.child.stdin as unknown as { unref?(): void }).unref?.();
  }

  ask(name: string, contents: boolean): Promise<RawObject | undefined> {
    this.lastUsed = Date.now();
    return new Promise((resolve, reject) => {
      this.waiting.push({ contents, resolve, reject });
      if (this.waiting.length === 1) this.hold(true);
      this.child.stdin.write(`${contents ? 'contents' : 'info'} ${name}\n`);
    });
  }

  close(): void {
    this.dead = true;
    this.child.stdin.end();
  }

  private hold(on: boolean): void {
    const stream = this.child.stdout as unknown as { ref?(): void; unref?(): void };
    if (on) stream.ref?.();
    else stream.unref?.();
  }

  private buffered(): Buffer {
    if (this.chunks.length !== 1) this.chunks = [Buffer.concat(this.chunks)];
    return this.chunks[0] ?? Buffer.alloc(0);
  }

  private take(count: number): void {
    const rest = this.buffered().subarray(count);
    this.chunks = rest.length ? [rest] : [];
    this.length = rest.length;
  }

  private consume(): void {
    for (;;) {
      if (this.pending) {
        const { size } = this.pending;
        if (this.length < size + 1) return;
        const bytes = this.buffered().subarray(0, size);
        // of a large object the bytes are handed on, and what came after them is copied instead
        const content = size < largeObject ? Buffer.from(bytes) : bytes;
        const answer = { ...this.pending, content };
        this.take(size + 1);
        if (size >= largeObject) this.chunks = this.chunks.map((rest) => Buffer.from(rest));
        this.pending = undefined;
        this.answer(answer);
        continue;
      }
      if (!this.length) return;
      const buffer = this.buffered();
      const end = buffer.indexOf(0x0a);
      if (end < 0) return;
      const line = buffer.toString('utf8', 0, end);
      this.take(end + 1);
      const match = /^([0-9a-f]{40,64}) (commit|tree|blob|tag) (\d+)$/.exec(line);
      if (!match) {
        this.answer(undefined); // `missing` or `ambiguous`
        continue;
      }
      const header = { oid: match[1] as string, type: match[2] as ObjectType, size: Number(match[3]) };
      if (this.waiting[0]?.contents) this.pending = header;
      else this.answer(header);
    }
  }

  private answer(answer: RawObject | undefined): void {
    this.waiting.shift()?.resolve(answer);
    if (!this.waiting.length) this.hold(false);
  }
}

export class ObjectReaders {
  private readonly readers = new Map<string, Reader[]>();
  private count = 0;
  private readonly sweep: NodeJS.Timeout;
  /** Requests that wait for a process of their own. */
  private alone: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly runner: GitRunner,
    private readonly max: number,
    /** Differs once a folder lies elsewhere: then git reads where it was. */
    private readonly placeOf: (folder: string) => string,
  ) {
    this.sweep = setInterval(() => this.closeIdle(), idleMs / 2);
    this.sweep.unref();
  }

  /** `name`: an object id or a revision expression that holds no line feed. */
  async ask(
    folder: string,
    name: string,
    contents: boolean,
    environment?: Readonly<Record<string, string>>,
  ): Promise<RawObject | undefined> {
    if (/[\n\0]/.test(name)) return undefined;
    try {
      return await this.reader(folder, environment).ask(name, contents);
    } catch {
      return this.askAlone(folder, name, contents, environment);
    }
  }

  /**
   * Its process ended: idle, repository replaced, or over a damaged object, perhaps of another request. In a process of
   * its own only its own object can end it; one after the other, so that much damage does not start many.
   */
  private askAlone(
    folder: string,
    name: string,
    contents: boolean,
    environment?: Readonly<Record<string, string>>,
  ): Promise<RawObject | undefined> {
    const answer = this.alone.then(async () => {
      const reader = new Reader(this.runner, folder, this.placeOf(folder), environment, () => undefined);
      try {
        return await reader.ask(name, contents);
      } finally {
        reader.close();
      }
    });
    this.alone = answer.catch(() => undefined);
    return answer;
  }

  /** Ends the readers of one folder (deleted, or quarantine over). */
  release(folder: string, environment?: Readonly<Record<string, string>>): void {
    const key = keyOf(folder, environment);
    for (const reader of this.readers.get(key) ?? []) reader.close();
    this.readers.delete(key);
  }

  stop(): void {
    clearInterval(this.sweep);
    for (const list of this.readers.values()) for (const reader of list) reader.close();
    this.readers.clear();
  }

  private reader(folder: string, environment?: Readonly<Record<string, string>>): Reader {
    const key = keyOf(folder, environment);
    const place = this.placeOf(folder);
    const list = (this.readers.get(key) ?? []).filter((reader) => !reader.dead && reader.place === place);
    const best = list.reduce<Reader | undefined>(
      (a, b) => (a && a.waiting.length <= b.waiting.length ? a : b),
      undefined,
    );
    if (best && (best.waiting.length < 8 || list.length >= 2)) return best;
    if (this.count >= this.max) this.closeOldest();
    this.count++;
    const reader = new Reader(this.runner, folder, place, environment, () => {
      this.count--;
      const rest = (this.readers.get(key) ?? []).filter((other) => other !== reader);
      if (rest.length) this.readers.set(key, rest);
      else this.readers.delete(key);
    });
    for (const other of this.readers.get(key) ?? []) if (other.place !== place) other.close();
    this.readers.set(key, [...list, reader]);
    return reader;
  }

  /** Ends those that read where their folder was. */
  closeMoved(): void {
    for (const [key, list] of this.readers) {
      const place = this.placeOf(key.split('\0', 1)[0] as string);
      for (const reader of list) if (reader.place !== place) reader.close();
    }
  }

  private closeOldest(): void {
    let oldest: Reader | undefined;
    for (const list of this.readers.values())
      for (const reader of list)
        if (!reader.dead && !reader.waiting.length && (!oldest || reader.lastUsed < oldest.lastUsed)) oldest = reader;
    oldest?.close();
  }

  private closeIdle(): void {
    const before = Date.now() - idleMs;
    for (const list of this.readers.values())
      for (const reader of list) if (!reader.dead && !reader.waiting.length && reader.lastUsed < before) reader.close();
  }
}

const keyOf = (folder: string, environment?: Readonly<Record<string, string>>) =>
  environment
    ? [folder, environment['GIT_OBJECT_DIRECTORY'], environment['GIT_ALTERNATE_OBJECT_DIRECTORIES']].join('\0')
    : folder;
