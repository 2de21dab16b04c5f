import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rm, stat, unlink, type FileHandle } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { FormFile, Logger, UploadedFile } from '@mortise/plugin-sdk';

const sweepEvery = 3_600_000;
/** No request takes that long; also for folders of other machines, whose processes cannot be asked for. */
const maxAge = 24 * 3_600_000;

/**
 * `tmp/uploads`: files of forms, from their arrival until their request has been handled. Each process has its own
 * folder there, so that what a killed one left is recognised.
 */
export class Uploads {
  readonly #root: string;
  readonly #own: string;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  #count = 0;

  constructor(workDir: string, log: Logger) {
    this.#root = join(workDir, 'tmp', 'uploads');
    this.#own = `${hostname().replace(/[^\w-]/g, '_')}.${process.pid}.${randomBytes(4).toString('hex')}`;
    this.#log = log;
  }

  /** Files of one request. */
  request(): RequestUploads {
    return new RequestUploads(() => join(this.#root, this.#own, String(++this.#count)), this.#log);
  }

  start(): void {
    const sweep = () =>
      this.sweep().catch((error: unknown) =>
        this.#log.warn('could not delete old uploads', { event: 'upload.sweep', error }),
      );
    void sweep();
    this.#timer = setInterval(() => void sweep(), sweepEvery).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await rm(join(this.#root, this.#own), { recursive: true, force: true });
  }

  /** Deletes what processes left that are gone, and whatever is older than a day. */
  async sweep(now = Date.now()): Promise<void> {
    for (const folder of await entriesOf(this.#root)) {
      const path = join(this.#root, folder);
      if (folder !== this.#own && (isOrphaned(folder) || (await isOld(path, now)))) {
        await rm(path, { recursive: true, force: true });
        continue;
      }
      for (const file of await entriesOf(path)) {
        const inside = join(path, file);
        if (await isOld(inside, now)) await rm(inside, { recursive: true, force: true });
      }
    }
  }
}

async function entriesOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}

async function isOld(path: string, now: number): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  return stats !== undefined && stats.mtimeMs < now - maxAge;
}

/** Is it a folder of a process of this machine that has ended? */
function isOrphaned(folder: string): boolean {
  const [machine, pid] = folder.split('.');
  if (machine !== hostname().replace(/[^\w-]/g, '_')) return false;
  if (!pid || !/^\d+$/.test(pid)) return true;
  // our own number, but not our folder: a process before us had it
  if (Number(pid) === process.pid) return true;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Files of one request; nothing is opened before the first byte of one has come. */
export class RequestUploads {
  readonly #pathOf: () => string;
  readonly #log: Logger;
  readonly #paths: string[] = [];
  readonly #files: UploadedFile[] = [];

  constructor(pathOf: () => string, log: Logger) {
    this.#pathOf = pathOf;
    this.#log = log;
  }

  /** Stores what arrives; `check` is asked before anything is written. */
  async store({ fileName, contentType, content }: FormFile, check?: () => void): Promise<UploadedFile> {
    let handle: FileHandle | undefined;
    let path: string | undefined;
    let size = 0;
    try {
      for await (const chunk of content as AsyncIterable<Buffer>) {
        if (!handle) {
          check?.();
          this.#paths.push((path = this.#pathOf()));
          handle = await create(path);
        }
        for (let at = 0; at < chunk.length;) at += (await handle.write(chunk, at)).bytesWritten;
        size += chunk.length;
      }
    } finally {
      await handle?.close();
    }
    const file = Object.assign(Readable.from(bytesOf(path), { objectMode: false }), { fileName, contentType, size });
    this.#files.push(file);
    return file;
  }

  /** Gives back descriptors and space, whatever became of the request. */
  async dispose(): Promise<void> {
    for (const file of this.#files) file.destroy();
    for (const path of this.#paths) {
      await unlink(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') this.#log.warn('could not delete an upload', { event: 'upload.delete', error });
      });
    }
  }
}

async function create(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
    return open(path, 'wx', 0o600);
  }
}

/** Opens the file when it is first read. */
async function* bytesOf(path: string | undefined): AsyncGenerator<Buffer> {
  if (path !== undefined) yield* createReadStream(path) as AsyncIterable<Buffer>;
}
