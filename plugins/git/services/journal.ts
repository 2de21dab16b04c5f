/**
 * What a change of references needs to be completed after a kill between git and the database: a small file, written
 * before references move and removed once the event is stored. All lie in one folder, so a start finds them at once.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, readdir, rename, unlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { RefUpdate, RepositoryKind, UpdateSource } from '../api.js';

export interface JournalEntry {
  readonly id: string;
  readonly repositoryId: number;
  readonly kind: RepositoryKind;
  readonly updates: readonly RefUpdate[];
  readonly pusherId: number;
  readonly pusherName: string;
  readonly pushOptions: Readonly<Record<string, string>>;
  readonly source: UpdateSource;
  readonly at: number;
  readonly wasEmpty: boolean;
  readonly facts?: Readonly<Record<string, unknown>>;
  /** The process that works on it. */
  readonly host: string;
  readonly process: number;
}

/** After so long the process on another machine is taken for dead. */
const abandonedMs = 30 * 60 * 1000;

export class Journal {
  /** Entries that this process is working on. */
  private readonly own = new Set<string>();

  constructor(private readonly folder: string) {}

  async begin(change: Omit<JournalEntry, 'id' | 'host' | 'process'>): Promise<JournalEntry> {
    const entry: JournalEntry = { ...change, id: randomUUID(), host: hostname(), process: process.pid };
    this.own.add(entry.id);
    const file = this.fileOf(entry);
    const write = () => writeFile(`${file}.tmp`, JSON.stringify(entry));
    await write().catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      await mkdir(this.folder, { recursive: true });
      await write();
    });
    await rename(`${file}.tmp`, file);
    return entry;
  }

  async end(entry: JournalEntry): Promise<void> {
    await unlink(this.fileOf(entry)).catch(() => undefined);
    this.own.delete(entry.id);
  }

  /** Leaves the file for the repair. */
  abandon(entry: JournalEntry): void {
    this.own.delete(entry.id);
  }

  /** Entries that nobody works on any more. */
  async left(repositoryId?: number, kind: RepositoryKind = 'code'): Promise<JournalEntry[]> {
    const names = await readdir(this.folder).catch(() => [] as string[]);
    const prefix = repositoryId === undefined ? '' : `${repositoryId}-${kind}-`;
    const entries: JournalEntry[] = [];
    for (const name of names) {
      if (!name.endsWith('.json') || !name.startsWith(prefix)) continue;
      const text = await readFile(join(this.folder, name), 'utf8').catch(() => undefined);
      if (text === undefined) continue;
      const entry = JSON.parse(text) as JournalEntry;
      if (!this.own.has(entry.id) && isLeft(entry)) entries.push(entry);
    }
    return entries.sort((a, b) => a.at - b.at);
  }

  private fileOf(entry: JournalEntry): string {
    return join(this.folder, `${entry.repositoryId}-${entry.kind}-${entry.id}.json`);
  }
}

function isLeft(entry: JournalEntry): boolean {
  if (entry.host !== hostname()) return Date.now() - entry.at > abandonedMs;
  if (entry.process === process.pid) return true; // not in `own`: from an earlier life with the same number, or given up
  try {
    process.kill(entry.process, 0);
    return Date.now() - entry.at > abandonedMs;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
