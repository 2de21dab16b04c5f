/**
 * After a kill, or while the database is away: completes or undoes what the journal holds, and removes the locks of git
 * that nobody holds any more.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem, type Database, type Logger } from '@mortise/plugin-sdk';
import { isZeroOid, type RefUpdate, type RefsUpdated, type RepositoryKind } from '../api.js';
import { GitChange } from '../models/git-change.js';
import type { ChangeEntry, Journal, JournalEntry } from './journal.js';
import { hasForeignWriters } from './process-owner.js';
import type { GitRunner } from './git-runner.js';
import { reversed } from './ref-moves.js';
import { allLocks, locksBefore, removeLock, type LockFile } from './stale-locks.js';
import type { RefFingerprints } from './ref-fingerprints.js';
import type { FolderStore } from './store.js';
import type { WritePauses } from './write-pauses.js';

interface RecoveryDeps {
  readonly store: FolderStore;
  readonly runner: GitRunner;
  readonly database: Database;
  readonly journal: Journal;
  readonly pauses: WritePauses;
  readonly fingerprints: RefFingerprints;
  readonly log: Logger;
  /** Stores the event of references that have moved, and ends the entry. */
  complete(entry: ChangeEntry, moved: readonly RefUpdate[]): Promise<RefsUpdated>;
  /** Moves references, all or nothing. */
  move(folder: string, updates: readonly RefUpdate[]): Promise<void>;
}

/** How often every process looks for what was left. */
const scanMs = 5000;
/** Where the system does not tell which processes run, git may outlive its server by so long. */
const outlivedMs = 15_000;
/** A lock that is there for so long, and whose holder nobody knows, is nobody's. */
const lockAgeMs = 1000;

export class Recovery {
  private readonly running = new Map<string, Promise<void>>();
  /** Entries whose failure was logged: a database that is away for an hour is said once. */
  private readonly logged = new Set<string>();

  constructor(private readonly deps: RecoveryDeps) {}

  /** Looks again and again, and calls `onScan` each time; gives what ends that. */
  start(onScan: () => void): () => void {
    const look = () => {
      onScan();
      void this.scan().catch((error: unknown) =>
        this.deps.log.warn('could not list the journal of ref updates', {
          event: 'git.journal.list',
          error: String(error),
        }),
      );
    };
    const timer = setInterval(look, scanMs);
    timer.unref();
    return () => clearInterval(timer);
  }

  private async scan(): Promise<void> {
    await this.deps.fingerprints.retry().catch(() => undefined); // the database is away still
    await this.deps.pauses.finishAllExpired();
    await this.repair();
  }

  async repair(repositoryId?: number, kind: RepositoryKind = 'code'): Promise<void> {
    for (const entry of await this.deps.journal.left(repositoryId, kind)) await this.once(entry);
  }

  /** Removes locks that are in the way of these updates (or all, where none are named) and that nobody holds. */
  async clearLocks(
    repositoryId: number,
    kind: RepositoryKind,
    options: { updates?: readonly RefUpdate[]; besides?: JournalEntry } = {},
  ): Promise<LockFile[]> {
    const folder = this.deps.store.path(repositoryId, kind);
    const look = () => (options.updates ? locksBefore(folder, options.updates) : allLocks(folder));
    const before = await look();
    if (!before.length) return [];
    // whoever writes says so in the journal before git makes a lock, so the locks are looked at first
    const isBusy = async () =>
      (await this.deps.journal.hasWriters(repositoryId, kind, options.besides)) || (await hasForeignWriters(folder));
    if (await isBusy()) return [];
    await sleep(lockAgeMs);
    const still = (await look()).filter((lock) => before.some(({ identity }) => identity === lock.identity));
    if (!still.length || (await isBusy())) return [];
    const removed: LockFile[] = [];
    for (const lock of still) if (await removeLock(folder, lock)) removed.push(lock);
    if (removed.length)
      this.deps.log.warn('removed locks left by a killed process', {
        event: 'git.locks.removed',
        repositoryId,
        kind,
        locks: removed.map(({ name }) => name),
      });
    return removed;
  }

  /** Which updates of an interrupted change took place: the reference holds the new value (or is gone). */
  async movedOf(entry: ChangeEntry): Promise<RefUpdate[]> {
    return (await this.outcomeOf(entry)).moved;
  }

  /**
   * As {@link movedOf}, after what git began is carried to its end: killed in the middle of a transaction it has moved
   * some of the references. What somebody else has moved since stays as it is.
   */
  async completedOf(entry: ChangeEntry): Promise<RefUpdate[]> {
    const { moved, unmoved } = await this.outcomeOf(entry);
    if (!entry.isAtomic || !moved.length || !unmoved.length) return moved;
    await this.deps.move(this.deps.store.path(entry.repositoryId, entry.kind), unmoved).catch((error: unknown) => {
      // somebody else has moved them, or made what is in their way
      if (!Problem.is(error) || error.code !== 'conflict') throw error;
    });
    return this.movedOf(entry);
  }

  private async outcomeOf(entry: ChangeEntry): Promise<{ moved: RefUpdate[]; unmoved: RefUpdate[] }> {
    if (!(await this.deps.store.exists(entry.repositoryId, entry.kind))) return { moved: [], unmoved: [] };
    const folder = this.deps.store.path(entry.repositoryId, entry.kind);
    const rows = await this.deps.runner.text(['for-each-ref', '--format=%(refname) %(objectname)'], { cwd: folder });
    const now = new Map(
      rows
        .split('\n')
        .filter(Boolean)
        .map((row) => row.split(' ') as [string, string]),
    );
    const isAt = (ref: string, oid: string) => (now.get(ref) ?? '') === (isZeroOid(oid) ? '' : oid);
    const changes = entry.updates.filter((update) => update.old !== update.new);
    return {
      moved: changes.filter((update) => isAt(update.ref, update.new)),
      unmoved: changes.filter((update) => isAt(update.ref, update.old)),
    };
  }

  /** Throws where the database does not answer. */
  async isEventStored(entry: ChangeEntry): Promise<boolean> {
    return (await this.deps.database.query(GitChange).findById(entry.id)) !== undefined;
  }

  /** One recovery of an entry at a time in this process; another process may be at it too, which does no harm. */
  private once(entry: JournalEntry): Promise<void> {
    const running = this.running.get(entry.id);
    if (running) return running;
    const work = this.recover(entry)
      .then(() => void this.logged.delete(entry.id))
      .catch(async (error: unknown) => {
        if (this.logged.has(entry.id) || !(await this.deps.journal.has(entry))) return;
        this.logged.add(entry.id);
        this.deps.log.error('could not complete an interrupted ref update; retrying', {
          event: 'git.refs.recover',
          repositoryId: entry.repositoryId,
          error: String(error),
        });
      })
      .finally(() => this.running.delete(entry.id));
    this.running.set(entry.id, work);
    return work;
  }

  private async recover(entry: JournalEntry): Promise<void> {
    const { store, journal, log } = this.deps;
    const { repositoryId, kind } = entry;
    // it ended while the journal was read, and references may have moved on
    if (!(await journal.has(entry))) return;
    if (!(await store.exists(repositoryId, kind))) return journal.end(entry);
    const folder = store.path(repositoryId, kind);
    const outlived = await hasForeignWriters(folder);
    if (outlived ?? Date.now() - entry.at < outlivedMs) return;
    await this.clearLocks(repositoryId, kind);
    if (entry.work === 'maintenance') return journal.end(entry);
    const moved = entry.isRefused ? await this.movedOf(entry) : await this.completedOf(entry);
    log.warn('completing an interrupted ref update', {
      event: 'git.refs.recovering',
      repositoryId,
      moved: moved.length,
    });
    if (entry.isRefused) return this.undo(entry, moved);
    if (moved.length) return void (await this.deps.complete(entry, moved));
    await this.deps.fingerprints.changed(folder);
    await journal.end(entry);
  }

  /** The caller heard of a failure, but not even the server knew whether the database had stored the event. */
  private async undo(entry: ChangeEntry, moved: readonly RefUpdate[]): Promise<void> {
    const folder = this.deps.store.path(entry.repositoryId, entry.kind);
    if (moved.length && !(await this.isEventStored(entry))) await this.deps.move(folder, moved.map(reversed));
    else await this.deps.fingerprints.changed(folder);
    await this.deps.journal.end(entry);
  }
}
