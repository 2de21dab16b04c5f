/**
 * Moments in which nothing is written to one repository, in any process: the end of its move to another storage. A file
 * beside the journal asks for it. Who writes leaves an entry in the journal first and looks then; who asks writes the file
 * first and then waits until the repository has no entry, so that neither passes the other.
 */
import { readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem, writeDurably } from '@mortise/plugin-sdk';
import type { RepositoryKind } from '../api.js';
import type { Journal } from './journal.js';
import { t } from '../texts/index.js';

const pollMs = 20;
/** A process that asked and died is heeded no longer. */
const leaseMs = 10_000;
/** The lease is renewed three times within it, so that it holds for as long as this from any moment on. */
export const maxPausedMs = leaseMs / 2;
/** For so long those who write wait: for as long as a move may take to become quiet, to copy the rest, and to be seen. */
const defaultWaitMs = 20_000;
/** Who asks gives up before those who write do, so that one who writes while another waits holds up nobody for long. */
const maxQuietMs = 5000;

const namePattern = /^paused-(\d+)-(code|wiki)$/;

export class WritePauses {
  /** Finishes what a killed process began during a pause whose lease has ended. */
  onExpired: (id: number, kind: RepositoryKind) => Promise<void> = () => Promise.resolve();

  constructor(
    private readonly journal: Journal,
    /** False where no repository ever moves: then nothing is looked for. */
    private readonly isUsed: boolean,
    private readonly maxWaitMs = defaultWaitMs,
  ) {}

  /** Is a pause asked for? One that a killed process has left is finished, and no longer is. */
  async isPaused(id: number, kind: RepositoryKind): Promise<boolean> {
    const leaseEnd = await this.leaseEnd(id, kind);
    if (leaseEnd === undefined) return false;
    if (leaseEnd > Date.now()) return true;
    await this.finish(id, kind);
    return false;
  }

  /** Is it asked for, and does nobody write? A node whose clock is ahead may have taken the pause for over. */
  async isQuiet(id: number, kind: RepositoryKind): Promise<boolean> {
    return (await this.isPaused(id, kind)) && !(await this.journal.hasEntries(id, kind));
  }

  /** Waits until writes are taken again; unavailable after some seconds. */
  async waitForEnd(id: number, kind: RepositoryKind): Promise<void> {
    for (const until = Date.now() + this.maxWaitMs; await this.isPaused(id, kind); await sleep(pollMs))
      if (Date.now() > until) throw new Problem('unavailable', t.later('error.moving'));
  }

  /** Writes to the folder of a repository that are no change of references: a pause waits for their end. */
  async writing<T>(id: number, kind: RepositoryKind, work: () => Promise<T>): Promise<T> {
    return this.isUsed ? this.maintaining(id, kind, work) : work();
  }

  /** The same for maintenance, which always leaves an entry: locks of git are nobody's where nobody has one. */
  async maintaining<T>(id: number, kind: RepositoryKind, work: () => Promise<T>): Promise<T> {
    for (;;) {
      await this.waitForEnd(id, kind);
      const isPaused = Symbol('paused');
      const result = await this.journal.maintaining(id, kind, async () =>
        (await this.isPaused(id, kind)) ? isPaused : work(),
      );
      if (result !== isPaused) return result as T;
    }
  }

  /**
   * Runs `work` while nothing is written to the repository. What must not happen beside a write happens within
   * {@link maxPausedMs}: a process that stands still for longer loses the pause. Undefined: somebody went on writing.
   */
  async whilePaused<T>(id: number, kind: RepositoryKind, work: () => Promise<T>): Promise<T | undefined> {
    const file = this.fileOf(id, kind);
    const ask = () => writeDurably(file, String(Date.now() + leaseMs));
    await ask();
    let asking: Promise<void> = Promise.resolve();
    const renewal = setInterval(() => (asking = asking.then(ask).catch(() => undefined)), leaseMs / 3);
    const until = Date.now() + maxQuietMs;
    try {
      while (await this.journal.hasEntries(id, kind)) {
        if (Date.now() > until) return undefined;
        await sleep(pollMs);
      }
      await ask();
      return await work();
    } finally {
      clearInterval(renewal);
      await asking; // or it would be asked for again after its end
      await rm(file, { force: true });
    }
  }

  /** Finishes a pause that a killed process has left. */
  async finishExpired(id: number, kind: RepositoryKind): Promise<void> {
    const leaseEnd = await this.leaseEnd(id, kind);
    if (leaseEnd !== undefined && leaseEnd <= Date.now()) await this.finish(id, kind);
  }

  /** The same in all repositories. */
  async finishAllExpired(): Promise<void> {
    if (!this.isUsed) return;
    for (const { id, kind } of await this.list()) await this.finishExpired(id, kind);
  }

  /** When the pause ends unless its process renews it; undefined: there is none. */
  private async leaseEnd(id: number, kind: RepositoryKind): Promise<number | undefined> {
    if (!this.isUsed) return undefined;
    try {
      return Number(await readFile(this.fileOf(id, kind), 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  private async list(): Promise<{ id: number; kind: RepositoryKind }[]> {
    const names = await readdir(this.journal.folder).catch(() => [] as string[]);
    return names.flatMap((name) => {
      const [, id, kind] = namePattern.exec(name) ?? [];
      return id ? [{ id: Number(id), kind: kind as RepositoryKind }] : [];
    });
  }

  private async finish(id: number, kind: RepositoryKind): Promise<void> {
    await this.onExpired(id, kind);
    await rm(this.fileOf(id, kind), { force: true });
  }

  private fileOf(id: number, kind: RepositoryKind): string {
    return join(this.journal.folder, `paused-${id}-${kind}`);
  }
}
