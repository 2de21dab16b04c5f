/**
 * Identical requests share one answer: a hundred clones by CI cost one pack. The key covers the repository, the state
 * of its references and every byte of the request, so an answer is never stale. An answer is shared from its first
 * byte on: who asks while it is being made reads along, in this process from memory, in another from the file.
 */
import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync } from 'node:fs';
import { open, readdir, readFile, rename, rm, stat, utimes, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Readable } from 'node:stream';
import {
  heartbeatMs,
  recordingMode,
  hasSharedReaders,
  abandoningMode,
  readSharedPack,
  silentMs,
} from './shared-pack.js';
import { PackTee } from './pack-tee.js';

interface PackRequest {
  /** Folder of the repository. */
  readonly repository: string;
  /** Stands for its references; null while they move. Absent: what lies in the folder. */
  readonly state?: string | null;
  readonly protocol: string;
  readonly body: Buffer;
}

/** git while it makes an answer. */
export interface PackSource {
  readonly output: Readable;
  /** Exit code; only answers of 0 are kept. */
  readonly done: Promise<number>;
  kill(): void;
}

const sweepMs = 5 * 60_000;
const maxAgeMs = 60 * 60_000;
/** After the disk was full. */
const pauseMs = 60_000;
/** How long a stop waits for answers that nobody here reads any more. */
const stopMs = 10_000;
const readAtOnce = 256 * 1024;

export class PackCache {
  private readonly runningTees = new Map<string, Promise<PackTee | undefined>>();
  /** Answers that are not yet in their place. */
  private readonly finishing = new Set<Promise<void>>();
  private disabledUntil = 0;
  /** Bytes that came since the last look at what is there. */
  private grown = 0;
  /** Answers that git had to make, for tests and metrics. */
  made = 0;

  constructor(
    private readonly folder: string,
    /** 0: no cache. */
    private readonly maxBytes: number,
  ) {
    if (maxBytes) mkdirSync(folder, { recursive: true });
  }

  /** An answer that is there, or one that `start` makes; undefined where caching does not pay: run git alone. */
  async open(request: PackRequest, start: () => PackSource): Promise<Readable | undefined> {
    const key = await this.keyOf(request);
    if (!key) return undefined;
    const running = await this.joined(key);
    if (running) return running;
    const path = join(this.folder, key);
    const stored = await this.stored(`${path}.pack`);
    if (stored) return stored;
    const meanwhile = await this.joined(key);
    if (meanwhile) return meanwhile;
    const tee = this.record(path, start);
    this.runningTees.set(key, tee);
    const forget = () => void (this.runningTees.get(key) === tee && this.runningTees.delete(key));
    tee.then((one) => one?.complete).then(forget, forget);
    return (await tee)?.follow() ?? this.elsewhere(path);
  }

  /** What another process makes, or has made; it may be about to begin. */
  private async elsewhere(path: string): Promise<Readable | undefined> {
    for (let look = 0; look < 5; look++) {
      if (look > 0) await sleep(5);
      const pack = (await readSharedPack(path)) ?? (await this.stored(`${path}.pack`));
      if (pack) return pack;
    }
    return undefined;
  }

  /** With those who wait for the same answer in this process. */
  private async joined(key: string): Promise<Readable | undefined> {
    const running = this.runningTees.get(key);
    return running && (await running)?.follow();
  }

  start(): () => Promise<void> {
    const timer = setInterval(() => void this.sweep().catch(() => undefined), sweepMs);
    timer.unref();
    return async () => {
      clearInterval(timer);
      // readers of other processes wait for the end of what this one has begun
      await Promise.race([Promise.all(this.finishing), sleep(stopMs, undefined, { ref: false })]);
    };
  }

  /** Takes away what was not asked for within the hour, the oldest beyond the limit, and what was left unfinished. */
  async sweep(now = Date.now()): Promise<void> {
    const files: { path: string; size: number; at: number; unfinished: boolean }[] = [];
    for (const name of await readdir(this.folder).catch(() => [] as string[])) {
      const path = join(this.folder, name);
      const stats = await stat(path).catch(() => undefined);
      if (stats) files.push({ path, size: stats.size, at: stats.mtimeMs, unfinished: !name.endsWith('.pack') });
    }
    files.sort((one, other) => other.at - one.at);
    let total = 0;
    for (const { path, size, at, unfinished } of files) {
      total += size;
      const age = now - at;
      if (unfinished ? age > silentMs : total > this.maxBytes || age > maxAgeMs) await rm(path, { force: true });
    }
  }

  private async keyOf({ repository, protocol, body, state: given }: PackRequest): Promise<string | undefined> {
    if (!this.maxBytes || Date.now() < this.disabledUntil) return undefined;
    const text = body.toString('latin1');
    // what a client has already is its own affair: such answers are small, and hardly ever asked for twice
    if (/\d[0-9a-f]{3}have /.test(text)) return undefined;
    const state =
      given === undefined ? await readFile(join(repository, 'mortise-refs'), 'utf8').catch(() => '') : given;
    if (!state || state.length < 16) return undefined; // references are moving
    if (!/(?:deepen|filter)/.test(text) && (await this.tooLarge(repository))) return undefined;
    const hash = createHash('sha256');
    for (const part of [repository, state, protocol, body]) hash.update(part).update('\0');
    return hash.digest('hex');
  }

  /** A pack that would push everything else out is sent as it comes. */
  private async tooLarge(repository: string): Promise<boolean> {
    const folder = join(repository, 'objects', 'pack');
    let total = 0;
    for (const name of await readdir(folder).catch(() => [] as string[]))
      if (name.endsWith('.pack')) total += (await stat(join(folder, name)).catch(() => undefined))?.size ?? 0;
    return total > this.maxBytes / 2;
  }

  private async stored(path: string): Promise<Readable | undefined> {
    const handle = await open(path, 'r').catch(() => undefined);
    if (!handle) return undefined;
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
    return createReadStream('', { fd: handle, highWaterMark: readAtOnce });
  }

  /** Undefined: another process is at it already, or has just made it. */
  private async record(path: string, start: () => PackSource): Promise<PackTee | undefined> {
    const part = `${path}.part`;
    const handle = await this.claim(part);
    if (!handle) return undefined;
    let source: PackSource;
    let ino: number;
    try {
      // The name may be free because the recording has just got its final one: nobody may make another then.
      if (await stat(`${path}.pack`).catch(() => undefined)) {
        await handle.close();
        await rm(part, { force: true });
        return undefined;
      }
      ({ ino } = await handle.stat());
      await handle.chmod(recordingMode);
      source = start();
    } catch (error) {
      await handle.close();
      await rm(part, { force: true });
      throw error;
    }
    this.made++;
    /** After a long silence, as in a computer that slept, another may have begun anew. */
    const isOwn = async () => (await stat(part).catch(() => undefined))?.ino === ino;
    const tee: PackTee = new PackTee(handle, source.output, () => void this.leave(path, handle, tee, source));
    const finished = Promise.all([tee.complete, source.done])
      .then(async ([complete, code]) => {
        if (tee.isGivenUp || !(await isOwn())) return; // what lies there now is another's
        if (!complete || code !== 0) return rm(part, { force: true });
        await rename(part, `${path}.pack`);
        await this.grow(tee.size);
      })
      .catch(() => void (this.disabledUntil = Date.now() + pauseMs))
      .finally(() => this.finishing.delete(finished));
    this.finishing.add(finished);
    return tee;
  }

  /** All clients have left: git ends, unless somebody reads along in another process, or comes back here. */
  private async leave(path: string, file: FileHandle, tee: PackTee, source: PackSource): Promise<void> {
    if (!tee.leave()) return;
    try {
      while (tee.isAlone) {
        await file.chmod(abandoningMode);
        if (!(await hasSharedReaders(path)) && tee.giveUp()) {
          // first the name, so that who comes now begins anew
          await rm(`${path}.part`, { force: true });
          source.kill();
          return;
        }
        await file.chmod(recordingMode);
        await sleep(heartbeatMs, undefined, { ref: false });
      }
    } catch {
      // the disk fails: nobody can read along
      if (tee.isGivenUp || tee.giveUp()) source.kill();
    } finally {
      tee.stay();
    }
  }

  /** Between two rounds the folder cannot grow far beyond its limit, however much is asked for. */
  private async grow(bytes: number): Promise<void> {
    this.grown += bytes;
    if (this.grown < this.maxBytes / 4) return;
    this.grown = 0;
    await this.sweep();
  }

  private async claim(part: string): Promise<FileHandle | undefined> {
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        // nobody reads along before it is sure that this goes on
        return await open(part, 'wx+', abandoningMode);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
          this.disabledUntil = Date.now() + pauseMs;
          return undefined;
        }
      }
      const stats = await stat(part).catch(() => undefined);
      if (!stats) continue;
      if (Date.now() - stats.mtimeMs < silentMs) return undefined;
      await rm(part, { force: true }); // its process was killed
    }
    return undefined;
  }
}
