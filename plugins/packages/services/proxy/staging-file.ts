import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, opendir, rm, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { withIdleTimeout } from './idle-timeout.js';

const chunkBytes = 256 * 1024;
/** No transfer goes without a byte for so long. */
const abandonedMs = 6 * 3_600_000;

/**
 * A download in progress, in a temporary file, which any number of readers can follow. Its last byte is given only once its
 * checksum was verified.
 */
export class StagingFile {
  /** Bytes that are there. */
  received = 0;
  private state: 'growing' | 'verified' | { readonly error: Error } = 'growing';
  private changed = deferred();

  private constructor(
    private readonly path: string,
    private readonly file: FileHandle,
    private readonly onGrow: (bytes: number) => void,
  ) {}

  /** `onGrow` is called with the new length, and may throw. */
  static async make(folder: string, onGrow: (bytes: number) => void): Promise<StagingFile> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, randomUUID());
    return new StagingFile(path, await open(path, 'wx', 0o600), onGrow);
  }

  async write(chunk: Buffer): Promise<void> {
    this.onGrow(this.received + chunk.length);
    for (let at = 0; at < chunk.length;) at += (await this.file.write(chunk, at)).bytesWritten;
    this.received += chunk.length;
    this.notify();
  }

  get isVerified(): boolean {
    return this.state === 'verified';
  }

  /** The download has ended, and its checksum is right. */
  finish(): void {
    this.state = 'verified';
    this.notify();
  }

  fail(error: Error): void {
    this.state = { error };
    this.notify();
  }

  private notify(): void {
    const { resolve } = this.changed;
    this.changed = deferred();
    resolve();
  }

  /** Waits for so many bytes, or for the end; throws what failed. */
  async until(bytes: number): Promise<void> {
    while (this.state === 'growing' && this.received < bytes) await this.changed.promise;
    if (typeof this.state === 'object') throw this.state.error;
  }

  /** From the beginning, as it grows. */
  async read(maxIdleMs?: number): Promise<Readable> {
    const file = await open(this.path, 'r');
    const content = withIdleTimeout(this.chunks(file), maxIdleMs);
    // also without a reader
    content.once('close', () => void file.close().catch(() => undefined));
    return content;
  }

  private async *chunks(file: FileHandle): AsyncGenerator<Buffer> {
    for (let at = 0; ;) {
      const { changed, state } = this;
      if (typeof state === 'object') throw state.error;
      const end = state === 'verified' ? this.received : this.received - 1;
      if (at < end) {
        const { buffer, bytesRead } = await file.read({
          buffer: Buffer.allocUnsafe(Math.min(chunkBytes, end - at)),
          position: at,
        });
        if (bytesRead === 0) throw new Error('the content was cut off');
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      } else if (state === 'verified') return;
      else await changed.promise;
    }
  }

  /** The whole, for keeping. */
  content(): Readable {
    return createReadStream(this.path);
  }

  /** Open readers can still read to its end. */
  async remove(): Promise<void> {
    await this.file.close();
    await rm(this.path, { force: true });
  }

  /** What a killed process left behind. */
  static async sweep(folder: string): Promise<void> {
    try {
      for await (const entry of await opendir(folder)) {
        const path = join(folder, entry.name);
        const stats = await stat(path).catch(() => undefined);
        if (stats && Date.now() - stats.mtimeMs > abandonedMs) await rm(path, { force: true });
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve!: () => void;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
