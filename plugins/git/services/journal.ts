/**
 * Who writes in which repository. A change of references leaves here what is needed to complete it after a kill between
 * git and the database: a small file, written before references move and removed once the event is stored.
 * Maintenance leaves a file too, so that locks of git that nobody holds any more can be told from those that are in use.
 * All files lie in one folder, so a start finds them at once.
 */
import { randomUUID } from 'node:crypto';
import { readFile, readdir, rename, stat, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably } from '@mortise/plugin-sdk';
import type { Facts, RefUpdate, RepositoryKind, UpdateSource } from '../api.js';
import { stateOf, thisProcess, type Owner } from './process-owner.js';

interface Entry {
  readonly id: string;
  readonly repositoryId: number;
  readonly kind: RepositoryKind;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** Absent in files of earlier versions. */
  readonly owner?: Owner;
}

export interface ChangeEntry extends Entry {
  readonly work?: 'change';
  readonly updates: readonly RefUpdate[];
  readonly pusherId: number;
  readonly pusherName: string;
  readonly pushOptions: Readonly<Record<string, string>>;
  readonly source: UpdateSource;
  readonly wasEmpty: boolean;
  /** References move together or not at all; absent in files of earlier versions. */
  readonly isAtomic?: boolean;
  readonly facts?: Facts;
  /** The caller heard that it failed: references go back unless the event turns out to be stored. */
  readonly isRefused?: boolean;
}

interface MaintenanceEntry extends Entry {
  readonly work: 'maintenance';
}

export type JournalEntry = ChangeEntry | MaintenanceEntry;

interface Unreadable {
  readonly name: string;
  readonly repositoryId: number;
  readonly kind: RepositoryKind;
}

interface JournalOptions {
  /** An entry of a process elsewhere counts as left when nothing renewed it for so long. */
  readonly leaseMs?: number;
  /** Never goes back; default: milliseconds since this process began. */
  readonly clock?: () => number;
  /** Called once for each file that was set aside. */
  readonly onUnreadable?: (found: Unreadable, error: unknown) => void;
}

const defaultLeaseMs = 30_000;
const asideEnding = '.unreadable';
const namePattern = /^(\d+)-(code|wiki)-[\w-]+\.json(?:\.unreadable)?$/;

interface Sighting {
  /** What the file's time was, when it was first seen so, and by this process's own clock. */
  readonly renewed: number;
  readonly since: number;
}

export class Journal {
  private readonly leaseMs: number;
  private readonly clock: () => number;
  /** Files that this process works on. */
  private readonly own = new Map<string, string>();
  private readonly sightings = new Map<string, Sighting>();
  private beat: NodeJS.Timeout | undefined;

  constructor(
    readonly folder: string,
    private readonly options: JournalOptions = {},
  ) {
    this.leaseMs = options.leaseMs ?? defaultLeaseMs;
    this.clock = options.clock ?? (() => performance.now());
  }

  async begin(change: Omit<ChangeEntry, 'id' | 'owner' | 'work'>): Promise<ChangeEntry> {
    return this.open({ ...change, id: randomUUID(), owner: thisProcess, work: 'change' });
  }

  /** Keeps an entry for as long as the work lasts: maintenance, and what else writes without moving references. */
  async maintaining<T>(repositoryId: number, kind: RepositoryKind, work: () => Promise<T>): Promise<T> {
    const at = Date.now();
    const entry = { id: randomUUID(), repositoryId, kind, at, owner: thisProcess, work: 'maintenance' as const };
    await this.open(entry);
    try {
      return await work();
    } finally {
      await this.end(entry);
    }
  }

  async end(entry: JournalEntry): Promise<void> {
    await unlink(this.fileOf(entry)).catch(() => undefined);
    this.release(entry);
  }

  /** Gives the entry up without an end: it is left for the recovery of any process, this one included. */
  abandon(entry: JournalEntry): void {
    this.release(entry);
  }

  /** Notes that the caller was told of a failure, and abandons. */
  async refuse(entry: ChangeEntry): Promise<void> {
    const refused: ChangeEntry = { ...entry, isRefused: true };
    await writeDurably(this.fileOf(refused), JSON.stringify(refused)).finally(() => this.release(entry));
  }

  /** Is it still there? Another process may have completed it. */
  async has(entry: JournalEntry): Promise<boolean> {
    return stat(this.fileOf(entry)).then(
      () => true,
      () => false,
    );
  }

  /** Entries that nobody works on any more, the oldest first. */
  async left(repositoryId?: number, kind: RepositoryKind = 'code'): Promise<JournalEntry[]> {
    return (await this.entries(repositoryId, kind)).filter(({ isLive }) => !isLive).map(({ entry }) => entry);
  }

  /** Does a live process write in the repository, apart from this entry? */
  async hasWriters(repositoryId: number, kind: RepositoryKind, besides?: JournalEntry): Promise<boolean> {
    const all = await this.entries(repositoryId, kind);
    return all.some(({ entry, isLive }) => isLive && entry.id !== besides?.id);
  }

  /** Does anybody write in the repository, or has somebody left what is to be completed? */
  async hasEntries(repositoryId: number, kind: RepositoryKind): Promise<boolean> {
    return (await this.entries(repositoryId, kind)).length > 0;
  }

  /** Is some process in the middle of a change, in any repository? */
  async isBusy(): Promise<boolean> {
    const all = await this.entries(undefined, 'code');
    return all.some(({ entry, isLive }) => isLive && entry.work !== 'maintenance');
  }

  /** Files that were set aside since they cannot be read. */
  async unreadable(): Promise<Unreadable[]> {
    return (await this.names()).filter((name) => name.endsWith(asideEnding)).flatMap(parseName);
  }

  async forget(found: Unreadable): Promise<void> {
    await unlink(join(this.folder, found.name));
  }

  private names(): Promise<string[]> {
    return readdir(this.folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
  }

  private async entries(
    repositoryId: number | undefined,
    kind: RepositoryKind,
  ): Promise<{ entry: JournalEntry; isLive: boolean }[]> {
    const prefix = repositoryId === undefined ? '' : `${repositoryId}-${kind}-`;
    const names = (await this.names()).filter((name) => name.endsWith('.json') && name.startsWith(prefix));
    const entries: { entry: JournalEntry; isLive: boolean }[] = [];
    for (const name of names) {
      const entry = await this.read(name);
      if (entry) entries.push({ entry, isLive: this.own.has(entry.id) || (await this.isLive(entry)) });
    }
    if (repositoryId === undefined) this.forgetSightings(names);
    return entries.sort((one, other) => one.entry.at - other.entry.at);
  }

  private async read(name: string): Promise<JournalEntry | undefined> {
    const file = join(this.folder, name);
    try {
      const entry = JSON.parse(await readFile(file, 'utf8')) as JournalEntry;
      if (!isEntry(entry)) throw new Error('this is no journal entry');
      return entry;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      const aside = `${name}${asideEnding}`;
      const isAside = await rename(file, join(this.folder, aside)).then(
        () => true,
        () => false,
      );
      if (isAside) for (const found of parseName(aside)) this.options.onUnreadable?.(found, error);
      return undefined;
    }
  }

  /** A lease is judged by what this process sees for itself: clocks of machines differ. */
  private async isLive(entry: JournalEntry): Promise<boolean> {
    const state = stateOf(entry.owner);
    // not among its own: of an earlier life, or abandoned
    if (state !== 'unknown') return state === 'alive' && entry.owner?.process !== process.pid;
    const renewed = await stat(this.fileOf(entry)).then(
      ({ mtimeMs }) => mtimeMs,
      () => undefined,
    );
    if (renewed === undefined) return false; // ended meanwhile
    const now = this.clock();
    const before = this.sightings.get(entry.id);
    if (before?.renewed === renewed) return now - before.since < this.leaseMs;
    this.sightings.set(entry.id, { renewed, since: now });
    return true;
  }

  private forgetSightings(names: readonly string[]): void {
    for (const id of this.sightings.keys())
      if (!names.some((name) => name.endsWith(`${id}.json`))) this.sightings.delete(id);
  }

  private async open<E extends JournalEntry>(entry: E): Promise<E> {
    const file = this.fileOf(entry);
    this.own.set(entry.id, file);
    try {
      await writeDurably(file, JSON.stringify(entry));
    } catch (error) {
      this.release(entry);
      throw error;
    }
    this.beat ??= setInterval(() => this.renew(), this.leaseMs / 6).unref();
    return entry;
  }

  private release(entry: JournalEntry): void {
    this.own.delete(entry.id);
    if (this.own.size) return;
    clearInterval(this.beat);
    this.beat = undefined;
  }

  private renew(): void {
    const now = new Date();
    for (const file of this.own.values()) utimes(file, now, now).catch(() => undefined);
  }

  private fileOf(entry: JournalEntry): string {
    return join(this.folder, `${entry.repositoryId}-${entry.kind}-${entry.id}.json`);
  }
}

function isEntry(value: unknown): value is JournalEntry {
  if (typeof value !== 'object' || value === null) return false;
  const { id, repositoryId, kind, at, work, updates } = value as Partial<ChangeEntry>;
  const isWhole = typeof id === 'string' && Number.isSafeInteger(repositoryId) && typeof at === 'number';
  const isKnown = kind === 'code' || kind === 'wiki';
  return isWhole && isKnown && ((work as string) === 'maintenance' || Array.isArray(updates));
}

function parseName(name: string): Unreadable[] {
  const [, id, kind] = namePattern.exec(name) ?? [];
  return id ? [{ name, repositoryId: Number(id), kind: kind as RepositoryKind }] : [];
}
