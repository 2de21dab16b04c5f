import { createHash, randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { copyFile, link, mkdir, open, opendir, readFile, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { syncFolder } from '@mortise/plugin-sdk';

const pack = promisify(gzip);
const unpack = promisify(gunzip);

/** Something in the back-up is missing or has other content than its name says. */
export class CorruptObject extends Error {}

/**
 * Content by its SHA-256: `objects` as it is, `texts` compressed. Everything is written to a temporary file, flushed and moved into
 * place, so that what has a name is whole, and nothing is ever written twice.
 */
export class ObjectStore {
  /** Bytes that were new. */
  written = 0;
  /** Content is linked rather than copied where it can be: only for what does not outlive the original. */
  readonly #linked: boolean;

  constructor(
    readonly folder: string,
    { linked = false }: { linked?: boolean } = {},
  ) {
    this.#linked = linked;
  }

  path(kind: 'objects' | 'texts', hash: string): string {
    return join(this.folder, kind, hash.slice(0, 2), hash.slice(2));
  }

  async has(kind: 'objects' | 'texts', hash: string): Promise<boolean> {
    return stat(this.path(kind, hash)).then(
      (found) => found.isFile(),
      () => false,
    );
  }

  /** Throws ENOENT when the file is gone. */
  async addFile(path: string): Promise<{ hash: string; size: number }> {
    if (!this.#linked) return this.addStream(createReadStream(path));
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      size += chunk.length;
    }
    const name = hash.digest('hex');
    const target = this.path('objects', name);
    await mkdir(dirname(target), { recursive: true });
    await link(path, target).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') await copyFile(path, target, constants.COPYFILE_FICLONE);
    });
    return { hash: name, size };
  }

  async addStream(content: Readable): Promise<{ hash: string; size: number }> {
    const hash = createHash('sha256');
    let size = 0;
    const temporary = await this.#openTemporary();
    try {
      await pipeline(content, async (source: AsyncIterable<Buffer>) => {
        for await (const chunk of source) {
          hash.update(chunk);
          size += chunk.length;
          for (let at = 0; at < chunk.length;) at += (await temporary.file.write(chunk, at)).bytesWritten;
        }
      });
      const name = hash.digest('hex');
      await this.#place(temporary, 'objects', name, size);
      return { hash: name, size };
    } catch (error) {
      await temporary.file.close().catch(() => undefined);
      await rm(temporary.path, { force: true });
      throw error;
    }
  }

  /** Compressed; named by the hash of what it says. */
  async addText(text: string): Promise<string> {
    const name = createHash('sha256').update(text).digest('hex');
    if (await this.has('texts', name)) return name;
    const bytes = await pack(text);
    const temporary = await this.#openTemporary();
    await temporary.file.writeFile(bytes);
    await this.#place(temporary, 'texts', name, bytes.length);
    return name;
  }

  async text(hash: string): Promise<string> {
    let text: string;
    try {
      text = (await unpack(await readFile(this.path('texts', hash)))).toString();
    } catch (error) {
      throw new CorruptObject(`the text ${hash} cannot be read: ${(error as Error).message}`);
    }
    if (createHash('sha256').update(text).digest('hex') !== hash)
      throw new CorruptObject(`the text ${hash} has changed`);
    return text;
  }

  /** Ends with an error when the content is not what its name says. */
  async *read(hash: string): AsyncIterable<Buffer> {
    const seen = createHash('sha256');
    try {
      for await (const chunk of createReadStream(this.path('objects', hash)) as AsyncIterable<Buffer>) {
        seen.update(chunk);
        yield chunk;
      }
    } catch (error) {
      throw new CorruptObject(`the object ${hash} cannot be read: ${(error as Error).message}`);
    }
    if (seen.digest('hex') !== hash) throw new CorruptObject(`the object ${hash} has changed`);
  }

  async *list(kind: 'objects' | 'texts'): AsyncIterable<string> {
    for await (const { name } of await opendir(join(this.folder, kind))) {
      for await (const entry of await opendir(join(this.folder, kind, name))) yield name + entry.name;
    }
  }

  remove(kind: 'objects' | 'texts', hash: string): Promise<void> {
    return rm(this.path(kind, hash), { force: true });
  }

  async #openTemporary(): Promise<{ path: string; file: FileHandle }> {
    const path = join(this.folder, 'tmp', randomUUID());
    await mkdir(dirname(path), { recursive: true });
    return { path, file: await open(path, 'wx', 0o600) };
  }

  async #place(temporary: { path: string; file: FileHandle }, kind: 'objects' | 'texts', name: string, size: number) {
    const target = this.path(kind, name);
    if (await this.has(kind, name)) {
      await temporary.file.close();
      await rm(temporary.path, { force: true });
      return;
    }
    await temporary.file.sync();
    await temporary.file.close();
    await mkdir(dirname(target), { recursive: true });
    await rename(temporary.path, target);
    await syncFolder(dirname(target));
    this.written += size;
  }
}
