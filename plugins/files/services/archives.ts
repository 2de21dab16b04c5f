import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Problem, type BlobInfo, type Locks, type Logger, type StorageArea } from '@mortise/plugin-sdk';
import type { GitReader } from '@mortise/git/api';
import type { ArchiveIndex } from './archive-index.js';
import { t } from '../texts/index.js';

export type ArchiveForm = 'zip' | 'tar.gz' | 'bundle';

interface ArchiveRequest {
  readonly repositoryId: number;
  readonly commit: string;
  readonly form: ArchiveForm;
  /** Folder that all files lie in, with a slash at its end; empty: none. */
  readonly prefix: string;
  /** Only these; absent: everything. */
  readonly paths?: readonly string[];
}

/** Of an archive; more is refused while it is made, so that no repository fills the disk. */
const maxBytes = 8 * 2 ** 30;
/** A request waits so long (ms) for an archive; it goes on being made when nobody waits any more. */
const queueTimeoutMs = 60_000;
const maxConcurrent = 2;
/** Archives that wait to be made in one process; whoever asks for one more is told to come back. */
const maxQueued = 20;

/** Archives of commits: made once, apart from the request that asked, kept in storage, served from there (CNT-23). */
export class ArchiveService {
  readonly #making = new Map<string, Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(
    private readonly deps: {
      readonly git: GitReader;
      readonly area: StorageArea;
      readonly locks: Locks;
      readonly archiveIndex: ArchiveIndex;
    },
  ) {}

  static keyOf({ repositoryId, commit, form, prefix, paths }: ArchiveRequest): string {
    const rest = createHash('sha256')
      .update(JSON.stringify([prefix, paths ?? []]))
      .digest('hex')
      .slice(0, 16);
    return `${repositoryId}/${commit}-${rest}.${form}`;
  }

  /** Names the content: a commit never changes. */
  static tagOf(key: string): string {
    return createHash('sha256').update(key).digest('hex').slice(0, 40);
  }

  /** Is there, or is made now; `unavailable` with a hint when it takes long. */
  async prepare(request: ArchiveRequest): Promise<BlobInfo> {
    const key = ArchiveService.keyOf(request);
    const there = await this.deps.area.stat(key);
    if (there) {
      this.deps.archiveIndex.used(there);
      return there;
    }
    if (!this.#making.has(key) && this.#waiting.length >= maxQueued)
      throw new Problem('unavailable', t.later('error.archivesBusy'), {
        headers: { 'Retry-After': '30' },
      });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(resolve, queueTimeoutMs, 'late' as const);
    });
    try {
      if ((await Promise.race([this.#once(key, request), late])) === 'late')
        throw new Problem('unavailable', t.later('error.archiveLate'), {
          headers: { 'Retry-After': '10' },
        });
    } finally {
      clearTimeout(timer);
    }
    const made = await this.deps.area.stat(key);
    if (!made) throw new Problem('unavailable', t.later('error.archiveFailed'));
    return made;
  }

  async open(info: BlobInfo, range?: { start: number; end?: number }): Promise<Readable> {
    return (await this.deps.area.get(info.key, range)).stream;
  }

  /** Removes what is older than `age` milliseconds. */
  clean(age: number): Promise<void> {
    return this.deps.archiveIndex.clean(age);
  }

  forget(repositoryId: number): Promise<void> {
    return this.deps.archiveIndex.forget(repositoryId);
  }

  /** Writes down once a minute what was asked for; gives the end of it. */
  keepUses(log: Logger): () => Promise<void> {
    const { archiveIndex } = this.deps;
    const flush = () =>
      archiveIndex
        .flush()
        .catch((error: unknown) =>
          log.warn('could not store when archives were used', { event: 'archive.usage', error }),
        );
    const timer = setInterval(() => void flush(), 60_000).unref();
    return async () => {
      clearInterval(timer);
      await flush();
    };
  }

  #once(key: string, request: ArchiveRequest): Promise<void> {
    const running = this.#making.get(key);
    if (running) return running;
    const work = this.#inTurn(() => this.#make(key, request)).finally(() => this.#making.delete(key));
    // Whoever waits hears of a failure; when nobody does any more it must not end the process.
    work.catch(() => undefined);
    this.#making.set(key, work);
    return work;
  }

  /** Nobody else makes the same; storage shows it only when it is whole. */
  async #make(key: string, { repositoryId, commit, form, prefix, paths }: ArchiveRequest): Promise<void> {
    const { git, area, locks, archiveIndex } = this.deps;
    const limit = archiveIndex.maxBytes > 0 ? Math.min(maxBytes, archiveIndex.maxBytes) : maxBytes;
    await locks.hold(
      `archive:${key}`,
      async () => {
        if (await area.stat(key)) return;
        const stream = git.open(repositoryId).archive(commit, { format: form, prefix, paths });
        // Git may fail before the storage listens; the storage still hears of it, for the stream is then destroyed.
        stream.on('error', () => undefined);
        const { size } = await area.put(key, stream, { maxBytes: limit });
        archiveIndex.used({ key, size, modifiedAt: Date.now() });
        await archiveIndex.makeSpace();
      },
      { waitMs: queueTimeoutMs },
    );
  }

  async #inTurn(work: () => Promise<void>): Promise<void> {
    if (this.#running >= maxConcurrent) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#running++;
    try {
      await work();
    } finally {
      this.#running--;
      this.#waiting.shift()?.();
    }
  }
}
