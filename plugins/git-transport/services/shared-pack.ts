/**
 * Reading an answer that another process still records. Each reader keeps a lock file beside the recording fresh, so that
 * the recorder goes on although its own clients have left; and it looks, after the lock file is there, whether the recorder
 * was about to give up just then. One of the two always sees the other.
 */
import { randomUUID } from 'node:crypto';
import { open, readdir, rm, stat, utimes, writeFile, type FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Readable } from 'node:stream';

/** How often a reader says that it is there; the recorder asks as often. */
export const heartbeatMs = 500;
/** A lock file that is older belongs to a process that was killed. */
const deadMs = 10_000;
/** git says something every five seconds; a recording that is silent for longer belongs to nobody any more. */
export const silentMs = 30_000;
const pollMs = 20;
const readAtOnce = 256 * 1024;

/** Modes of a recording: it goes on, or its recorder asks whether anybody reads. */
export const recordingMode = 0o600;
export const abandoningMode = 0o400;

/** Does a process read along with the recording at this path? Only the lock files say so. */
export async function hasSharedReaders(path: string): Promise<boolean> {
  const folder = dirname(path);
  const prefix = `${basename(path)}.`;
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix) || !name.endsWith('.along')) continue;
    const stats = await stat(`${folder}/${name}`).catch(() => undefined);
    if (stats && Date.now() - stats.mtimeMs < deadMs) return true;
  }
  return false;
}

/** The recording at `<place>.part` as it comes; undefined when there is none that is sure to go on. */
export async function readSharedPack(path: string): Promise<Readable | undefined> {
  const handle = await open(`${path}.part`, 'r').catch(() => undefined);
  if (!handle) return undefined;
  const lockFile = `${path}.${randomUUID()}.along`;
  try {
    await writeFile(lockFile, '');
    const { mode, nlink } = await handle.stat();
    if ((mode & 0o777) !== abandoningMode && nlink > 0) return new SharedPackReader(handle, `${path}.pack`, lockFile);
  } catch {
    // the disk is full: who cannot leave a lock file reads on its own
  }
  await handle.close();
  await rm(lockFile, { force: true });
  return undefined;
}

class SharedPackReader extends Readable {
  private at = 0;
  private heard = Date.now();
  private work: Promise<void> = Promise.resolve();
  private readonly heartbeat: NodeJS.Timeout;

  constructor(
    private readonly handle: FileHandle,
    private readonly pack: string,
    private readonly lockFile: string,
  ) {
    super({ highWaterMark: readAtOnce });
    // also while the client is too slow to read
    this.heartbeat = setInterval(() => {
      const now = new Date();
      utimes(lockFile, now, now).catch(() => undefined);
    }, heartbeatMs);
    this.heartbeat.unref();
  }

  override _read(): void {
    this.work = this.next().catch((error: unknown) => void this.destroy(error as Error));
  }

  private async next(): Promise<void> {
    while (!this.destroyed) {
      // asked before reading, so that nothing comes between the last read and the end
      const isOver = await this.isOver();
      const { bytesRead, buffer } = await this.handle.read(Buffer.allocUnsafe(readAtOnce), 0, readAtOnce, this.at);
      if (bytesRead > 0) {
        this.at += bytesRead;
        this.heard = Date.now();
        this.push(buffer.subarray(0, bytesRead));
        return;
      }
      if (isOver) return void this.push(null);
      if (Date.now() - this.heard > silentMs) throw new Error('the process that made this pack has ended');
      await sleep(pollMs);
    }
  }

  /** It has its final name, or none any more. */
  private async isOver(): Promise<boolean> {
    const { ino, nlink } = await this.handle.stat();
    return nlink === 0 || (await stat(this.pack).catch(() => undefined))?.ino === ino;
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    clearInterval(this.heartbeat);
    void this.work
      .then(() => this.handle.close())
      .then(() => rm(this.lockFile, { force: true }))
      .catch(() => undefined)
      .then(() => callback(error));
  }
}
