import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { LogDestination } from './destination.js';

/** How often a file is looked at that nothing is written to: for the first minute of a day, and for what was rotated. */
const tickMs = 60_000;
/** A file that was rotated is compressed once nobody can be in the middle of writing to it any more. */
const compressAfterMs = 30_000;
/** A lock or a half-written archive that is older belongs to a process that was killed. */
const staleMs = 60_000;
const dayMs = 86_400_000;

export interface LogFileOptions {
  /** Absolute path. Its folder is made. */
  readonly path: string;
  /** Without it the file grows until another program renames it. */
  readonly rotates: boolean;
  readonly maxBytes: number;
  readonly isDaily: boolean;
  /** After so many days without a line, rotated files are removed; 0: never. */
  readonly maxDays: number;
  /** gzip's level, -1 for its default; undefined: rotated files stay as they are. */
  readonly compression?: number;
  /** The line that tells, once writing works again, how many lines were lost. */
  readonly lost?: (count: number, reason: string) => string;
  /** Called once when lines begin to be lost. */
  readonly failed?: (reason: string) => void;
  /** Milliseconds; for tests. */
  readonly now?: () => number;
}

/** `2026-11-30`, in the time zone of the server. */
function localDay(ms: number): string {
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/**
 * A log file that any number of processes of this machine append to. Each line is one append of the system, so none is
 * torn, and each process looks before it writes whether the file still has its name: whoever renames it, this class in
 * another process or logrotate, lines then go to the new one. Of all processes that find it due, one rotates it.
 */
export class LogFile {
  readonly #destination: LogDestination;
  #descriptor: number | undefined;
  #inode = 0;
  /** Of the oldest line that may be in the file. */
  #day = '';
  #timer: NodeJS.Timeout | undefined;
  #isMaintaining = false;
  #hasRotationFailed = false;

  constructor(readonly options: LogFileOptions) {
    const { lost, failed } = options;
    this.#destination = new LogDestination(() => this.#current(), { lost, failed });
  }

  write(line: string): void {
    this.#timer ??= setInterval(() => void this.tick(), tickMs).unref();
    this.#destination.write(line);
  }

  flush(): void {
    this.#destination.flush();
  }

  /** Goes on in the file that has the name now. */
  reopen(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  close(): void {
    clearInterval(this.#timer);
    this.reopen();
  }

  /** What is done each minute, whether or not lines are written: the rotation by day, compressing and removing. */
  async tick(): Promise<void> {
    try {
      this.#current();
      await this.#maintain();
    } catch (error) {
      this.#tellRotationFailed(error);
    }
  }

  #now(): number {
    return this.options.now?.() ?? Date.now();
  }

  /** Once, until it works again. */
  #tellRotationFailed(error: unknown): void {
    if (!this.#hasRotationFailed) this.options.failed?.(`cannot rotate: ${(error as Error).message}`);
    this.#hasRotationFailed = true;
  }

  /** The descriptor to append to. Throws what the system says where there is none. */
  #current(): number {
    const { path, rotates } = this.options;
    const there = statSync(path, { throwIfNoEntry: false });
    if (this.#descriptor === undefined || there?.ino !== this.#inode) this.#open();
    else if (rotates && this.#isDue(there.size)) this.#rotate();
    if (this.#descriptor === undefined) throw new Error('the next file cannot be opened');
    return this.#descriptor;
  }

  #open(): void {
    this.reopen();
    mkdirSync(dirname(this.options.path), { recursive: true });
    this.#descriptor = openSync(this.options.path, 'a');
    const { ino, size, mtimeMs } = fstatSync(this.#descriptor);
    this.#inode = ino;
    this.#day = localDay(size > 0 ? mtimeMs : this.#now());
    if (this.options.rotates && this.#isDue(size)) this.#rotate();
  }

  #isDue(size: number): boolean {
    const { maxBytes, isDaily } = this.options;
    const today = localDay(this.#now());
    if (size === 0) this.#day = today;
    return size >= maxBytes || (isDaily && today > this.#day);
  }

  /** Renames the file and begins the next, unless another process is at it or was. Lines go on in the old one if it fails. */
  #rotate(): void {
    const { path } = this.options;
    const lock = `${path}.lock`;
    try {
      if (!takeLock(lock)) return;
      try {
        if (statSync(path, { throwIfNoEntry: false })?.ino === this.#inode) renameSync(path, this.#rotatedName());
        this.#open();
        this.#hasRotationFailed = false;
      } finally {
        rmSync(lock, { force: true });
      }
    } catch (error) {
      this.#tellRotationFailed(error);
    }
  }

  /** `mortise.log.2026-11-30.001`, as Gitea names them; by the day on which the file was begun. */
  #rotatedName(): string {
    for (let number = 1; ; number++) {
      const name = `${this.options.path}.${this.#day}.${String(number).padStart(3, '0')}`;
      if (!existsSync(name) && !existsSync(`${name}.gz`)) return name;
    }
  }

  async #maintain(): Promise<void> {
    const { path, maxDays, compression, rotates } = this.options;
    if (!rotates || this.#isMaintaining) return;
    this.#isMaintaining = true;
    try {
      const rotated = new RegExp(String.raw`^\.\d{4}-\d\d-\d\d\.\d{3,}(\.gz)?$`);
      for (const name of await readdir(dirname(path))) {
        if (!name.startsWith(basename(path)) || !rotated.test(name.slice(basename(path).length))) continue;
        const file = join(dirname(path), name);
        const about = await stat(file).catch(() => undefined);
        if (!about) continue;
        const age = this.#now() - about.mtimeMs;
        if (maxDays > 0 && age > maxDays * dayMs) await rm(file, { force: true });
        else if (compression !== undefined && !name.endsWith('.gz') && age > compressAfterMs)
          await compress(file, compression);
      }
    } finally {
      this.#isMaintaining = false;
    }
  }
}

/** False: another process has it. */
function takeLock(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx'));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const about = statSync(path, { throwIfNoEntry: false });
    // the next line tries again
    if (about && Date.now() - about.mtimeMs > staleMs) rmSync(path, { force: true });
    return false;
  }
}

/** Puts `file.gz` in the place of `file`. Another process that is at it goes on alone. */
async function compress(file: string, level: number): Promise<void> {
  const part = `${file}.gz.part`;
  const left = await stat(part).catch(() => undefined);
  if (left && Date.now() - left.mtimeMs > staleMs) await rm(part, { force: true });
  try {
    const source = createReadStream(file);
    await pipeline(source, createGzip({ level }), createWriteStream(part, { flags: 'wx' }));
    const { atime, mtime, size } = await stat(file);
    // a process that was stopped in the middle of a line has gone on; the next time
    if (size !== source.bytesRead) return await rm(part, { force: true });
    await utimes(part, atime, mtime);
    await rename(part, `${file}.gz`);
    await rm(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') await rm(part, { force: true });
    // EEXIST: another process is at it; ENOENT: it was
    if (code !== 'EEXIST' && code !== 'ENOENT') throw error;
  }
}
