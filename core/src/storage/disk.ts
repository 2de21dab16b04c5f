import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  access,
  constants,
  mkdir,
  open,
  opendir,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
  type FileHandle,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { NotFound, syncFolder, type BlobInfo, type StorageArea, type StoredBlob } from '@mortise/plugin-sdk';
import type { DeletedBlobs } from '../contracts.js';
import { checkKey, clip, keyOfHash, HashingMeter } from './content.js';

const uploads = '.tmp-uploads';
const deleted = '.tmp-deleted';
const isMissing = (error: unknown) =>
  error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR', 'EISDIR'].includes(String(error.code));

/** An area as a folder. Content is written to a temporary file, flushed to the disk and moved into place. */
export class DiskArea implements StorageArea {
  readonly #folder: string;
  readonly #keepsDeleted: () => Promise<boolean>;

  #swept: Promise<void> | undefined;

  constructor(folder: string, keepsDeleted: () => Promise<boolean> = () => Promise.resolve(false)) {
    this.#folder = folder;
    this.#keepsDeleted = keepsDeleted;
  }

  /** What was deleted while it was to be kept. */
  readonly deleted: DeletedBlobs = {
    list: () => new DiskArea(join(this.#folder, deleted)).list(),
    get: async (key) =>
      (await new DiskArea(join(this.#folder, deleted)).stat(key)) &&
      createReadStream(join(this.#folder, deleted, ...checkKey(key).split('/'))),
    clear: () => rm(join(this.#folder, deleted), { recursive: true, force: true }),
  };

  #path(key: string): string {
    return join(this.#folder, ...checkKey(key).split('/'));
  }

  async put(key: string, content: Readable | Buffer, options: { maxBytes?: number } = {}): Promise<StoredBlob> {
    checkKey(key);
    return this.#write(content, options.maxBytes, () => key);
  }

  putByHash(content: Readable | Buffer, options: { maxBytes?: number } = {}): Promise<StoredBlob> {
    return this.#write(content, options.maxBytes, keyOfHash);
  }

  async #write(
    content: Readable | Buffer,
    maxBytes: number | undefined,
    keyOf: (sha256: string) => string,
  ): Promise<StoredBlob> {
    const folder = join(this.#folder, uploads);
    await (this.#swept ??= sweep(folder));
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const temporary = join(folder, randomUUID());
    const meter = new HashingMeter(maxBytes);
    try {
      const file = await open(temporary, 'wx', 0o600);
      try {
        await pipeline(Buffer.isBuffer(content) ? Readable.from([content]) : content, meter, (source) =>
          writeAll(file, source),
        );
        await file.sync();
      } finally {
        await file.close();
      }
      const digests = meter.digests();
      const key = keyOf(digests.sha256);
      await this.#move(temporary, this.#path(key));
      return { key, size: meter.bytes, modifiedAt: Date.now(), ...digests };
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  async #move(from: string, to: string): Promise<void> {
    // A delete next door may prune the folder between the two steps.
    for (let attempt = 1; ; attempt++) {
      await mkdir(dirname(to), { recursive: true, mode: 0o700 });
      try {
        await rename(from, to);
        break;
      } catch (error) {
        if (attempt >= 5 || !isMissing(error)) throw error;
      }
    }
    await syncFolder(dirname(to));
  }

  async get(key: string, range?: { start: number; end?: number }): Promise<{ info: BlobInfo; stream: Readable }> {
    const info = await this.stat(key);
    if (!info) throw NotFound('file');
    if (!range) return { info, stream: createReadStream(this.#path(key)) };
    return { info, stream: createReadStream(this.#path(key), clip(range, info.size)) };
  }

  async stat(key: string): Promise<BlobInfo | undefined> {
    try {
      const stats = await stat(this.#path(key));
      return stats.isFile() ? { key, size: stats.size, modifiedAt: Math.floor(stats.mtimeMs) } : undefined;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async delete(key: string): Promise<void> {
    const path = this.#path(key);
    try {
      if (await this.#keepsDeleted()) await this.#move(path, join(this.#folder, deleted, ...key.split('/')));
      else await rm(path);
    } catch (error) {
      if (isMissing(error) || (error instanceof Error && 'code' in error && error.code === 'ERR_FS_EISDIR')) return;
      throw error;
    }
    for (let folder = dirname(path); folder.length > this.#folder.length; folder = dirname(folder)) {
      try {
        await rmdir(folder);
      } catch {
        return; // Not empty, or just gone.
      }
    }
  }

  async *list(prefix = ''): AsyncIterable<BlobInfo> {
    const start = prefix.includes('/') ? prefix.slice(0, prefix.lastIndexOf('/')) : '';
    if (start) checkKey(start);
    yield* this.#walk(start, prefix);
  }

  async *#walk(below: string, prefix: string): AsyncIterable<BlobInfo> {
    let folder;
    try {
      folder = await opendir(join(this.#folder, below));
    } catch (error) {
      if (isMissing(error)) return;
      throw error;
    }
    for await (const entry of folder) {
      if (entry.name.startsWith('.tmp-')) continue;
      const key = below ? `${below}/${entry.name}` : entry.name;
      if (entry.isDirectory()) {
        if (`${key}/`.startsWith(prefix) || prefix.startsWith(`${key}/`)) yield* this.#walk(key, prefix);
      } else if (entry.isFile() && key.startsWith(prefix)) {
        const info = await this.stat(key);
        if (info) yield info;
      }
    }
  }

  signedUrl(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}

/** Uploads that a killed process left behind; what is younger than a day may still be running. */
async function sweep(folder: string): Promise<void> {
  try {
    for await (const entry of await opendir(folder)) {
      const path = join(folder, entry.name);
      const stats = await stat(path).catch(() => undefined);
      if (stats && Date.now() - stats.mtimeMs > 86_400_000) await rm(path, { force: true });
    }
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

async function writeAll(file: FileHandle, source: AsyncIterable<Buffer>): Promise<void> {
  for await (const chunk of source) {
    for (let written = 0; written < chunk.length;) written += (await file.write(chunk, written)).bytesWritten;
  }
}

/** Throws unless something can be written: a full or read-only disk lets itself be looked at. */
export async function checkDisk(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  const file = join(folder, `.tmp-check-${randomUUID()}`);
  try {
    await writeFile(file, 'written', { flag: 'wx', flush: true });
  } finally {
    await rm(file, { force: true });
  }
}

export async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}
