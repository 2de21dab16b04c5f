/**
 * The one gate for references: checks → journal → references move → event in a transaction → journal removed.
 * A kill anywhere is repaired from the journal (architecture, 4 and 5).
 */
import {
  Conflict,
  Invalid,
  Problem,
  type Database,
  type Events,
  type Jobs,
  type Logger,
  type PointReader,
} from '@mortise/plugin-sdk';
import {
  isRefName,
  isZeroOid,
  refsUpdated,
  unclearName,
  type GitReader,
  type PushHint,
  type PushSession,
  type RefChange,
  type RefCheck,
  type RefsUpdated,
  type RefUpdate,
  type RefUpdates,
  type RepositoryKind,
  type UpdateRequest,
} from '../api.js';
import { maintainRepository } from '../jobs/maintain.js';
import { GitChange } from '../models/git-change.js';
import { Journal, type JournalEntry } from './journal.js';
import { GitFailure, type GitRunner } from './process.js';
import { HookSession } from './push-session.js';
import { markChanging, markSettled } from './stamp.js';
import type { FolderStore } from './store.js';

export interface GateParts {
  readonly store: FolderStore;
  readonly runner: GitRunner;
  readonly reader: GitReader;
  readonly database: Database;
  readonly events: Events;
  readonly jobs: Jobs;
  readonly checks: PointReader<RefCheck>;
  readonly hints: PointReader<PushHint>;
  readonly log: Logger;
  readonly maintenanceDelayMs: number | undefined;
}

/** After so long nothing of a killed process still runs. */
export const settlingMs = 15_000;

export class RefGate implements RefUpdates {
  readonly journal: Journal;

  constructor(readonly parts: GateParts) {
    this.journal = new Journal(parts.store.journal);
  }

  async apply(request: UpdateRequest): Promise<RefsUpdated> {
    const { store } = this.parts;
    const kind = request.kind ?? 'code';
    const id = request.repositoryId;
    const updates = request.updates.map(normal);
    if (!updates.length) throw new Problem('invalid', 'no references to change');
    await this.repair(id, kind);
    await store.create(id, {}, kind);
    const change: RefChange = {
      repositoryId: id,
      kind,
      updates,
      pusher: request.pusher,
      pushOptions: request.pushOptions ?? {},
      source: request.source,
      facts: request.facts,
    };
    if (!request.skipChecks) {
      for (const update of updates) checkName(update);
      await this.check(change);
    }
    const entry = await this.begin(change);
    const folder = store.path(id, kind);
    try {
      await this.move(folder, updates);
    } catch (error) {
      await this.journal.end(entry);
      throw error;
    }
    try {
      return await this.settle(entry, updates, request.within);
    } catch (error) {
      // a subscriber refused, or the database failed: nothing has happened
      await this.move(
        folder,
        updates.map((update) => ({ ref: update.ref, old: update.new, new: update.old })),
      ).catch((undo: unknown) => {
        this.parts.log.error('references could not be put back', { repositoryId: id, error: String(undo) });
      });
      await this.journal.end(entry);
      throw error;
    }
  }

  openPush(push: Parameters<RefUpdates['openPush']>[0]): PushSession {
    return new HookSession(this, push);
  }

  /** Asks every check; the first that throws refuses. */
  async check(change: RefChange): Promise<void> {
    for (const check of this.parts.checks.list()) await check.check(change);
  }

  async begin(change: RefChange): Promise<JournalEntry> {
    const repository = this.parts.reader.open(change.repositoryId, change.kind);
    return this.journal.begin({
      repositoryId: change.repositoryId,
      kind: change.kind,
      updates: change.updates,
      pusherId: change.pusher.id,
      pusherName: change.pusher.name,
      pushOptions: change.pushOptions,
      source: change.source,
      at: Date.now(),
      wasEmpty: await repository.isEmpty(),
      facts: change.facts,
    });
  }

  /** References have moved: chooses a default branch for what was empty, stores the event, ends the journal. */
  async settle(entry: JournalEntry, moved: readonly RefUpdate[], within?: () => Promise<void>): Promise<RefsUpdated> {
    const { store, database, events, jobs } = this.parts;
    markSettled(store.path(entry.repositoryId, entry.kind));
    const defaultBranch = entry.wasEmpty ? await this.chooseHead(entry, moved) : undefined;
    const payload: RefsUpdated = {
      repositoryId: entry.repositoryId,
      kind: entry.kind,
      updates: moved,
      pusherId: entry.pusherId,
      pusherName: entry.pusherName,
      pushOptions: entry.pushOptions,
      source: entry.source,
      at: entry.at,
      wasEmpty: entry.wasEmpty,
      branchCount: (await this.parts.reader.open(entry.repositoryId, entry.kind).branches()).length,
      ...(defaultBranch === undefined ? {} : { defaultBranch }),
      ...(entry.facts === undefined ? {} : { facts: entry.facts }),
    };
    await database.write(async () => {
      if (await database.query(GitChange).findById(entry.id)) return;
      await database
        .query(GitChange)
        .insert({ id: entry.id, repository_id: entry.repositoryId, created_at: Date.now() });
      await events.emit(refsUpdated, payload);
      await within?.();
      if (this.parts.maintenanceDelayMs !== undefined) {
        await jobs.enqueue(
          maintainRepository,
          { repositoryId: entry.repositoryId, kind: entry.kind },
          {
            uniqueKey: `git.maintain:${entry.repositoryId}:${entry.kind}`,
            runAt: Date.now() + this.parts.maintenanceDelayMs,
            priority: -10,
          },
        );
      }
    });
    await this.journal.end(entry);
    return payload;
  }

  /** HEAD of a repository that was empty follows what came, when its own branch did not come. */
  private async chooseHead(entry: JournalEntry, moved: readonly RefUpdate[]): Promise<string | undefined> {
    const branches = moved
      .filter((update) => update.ref.startsWith('refs/heads/') && !isZeroOid(update.new))
      .map((update) => update.ref.slice(11));
    if (!branches.length) return undefined;
    const head = await this.parts.store.head(entry.repositoryId, entry.kind);
    if (branches.includes(head)) return undefined;
    const chosen = ['main', 'master'].find((name) => branches.includes(name)) ?? (branches[0] as string);
    await this.parts.store.setHead(entry.repositoryId, chosen, entry.kind);
    return chosen;
  }

  async repair(repositoryId?: number, kind: RepositoryKind = 'code'): Promise<void> {
    for (const entry of await this.journal.left(repositoryId, kind)) {
      await this.repairOne(entry).catch((error: unknown) => {
        // another process may be completing the same; what is left is tried again at the next access
        this.parts.log.error('an interrupted change of references could not be completed', {
          repositoryId: entry.repositoryId,
          error: String(error),
        });
      });
    }
  }

  private async repairOne(entry: JournalEntry): Promise<void> {
    const { store, log } = this.parts;
    const moved = await this.movedOf(entry);
    log.warn('completing an interrupted change of references', {
      repositoryId: entry.repositoryId,
      moved: moved.length,
    });
    if (moved.length) {
      await this.settle(entry, moved);
      return;
    }
    // git may outlive the process that was killed by a moment: ask again later
    if (Date.now() - entry.at < settlingMs) return;
    if (await store.exists(entry.repositoryId, entry.kind)) markSettled(store.path(entry.repositoryId, entry.kind));
    await this.journal.end(entry);
  }

  /** Which updates of an interrupted change took place: the reference holds the new value (or is gone). */
  async movedOf(entry: JournalEntry): Promise<RefUpdate[]> {
    if (!(await this.parts.store.exists(entry.repositoryId, entry.kind))) return [];
    const folder = this.parts.store.path(entry.repositoryId, entry.kind);
    const rows = await this.parts.runner.text(['for-each-ref', '--format=%(refname) %(objectname)'], { cwd: folder });
    const now = new Map(
      rows
        .split('\n')
        .filter(Boolean)
        .map((row) => row.split(' ') as [string, string]),
    );
    return entry.updates.filter(
      (update) =>
        update.old !== update.new && (now.get(update.ref) ?? '') === (isZeroOid(update.new) ? '' : update.new),
    );
  }

  /** All or nothing, with git's own locks. */
  private async move(folder: string, updates: readonly RefUpdate[]): Promise<void> {
    const input = updates
      .map(({ ref, old, new: next }) => {
        const zero = '0'.repeat(next.length);
        if (isZeroOid(next)) return `delete ${ref}\0${old}\0`;
        return `update ${ref}\0${next}\0${isZeroOid(old) ? zero : old}\0`;
      })
      .join('');
    markChanging(folder);
    try {
      await this.parts.runner.run(['update-ref', '-z', '--stdin'], {
        cwd: folder,
        input: `start\0${input}prepare\0commit\0`,
        timeoutMs: this.parts.runner.limits.writeMs,
      });
    } catch (error) {
      if (error instanceof GitFailure) throw refusal(error);
      throw error;
    } finally {
      markSettled(folder);
    }
  }
}

/** Why the update may not be, for its name alone: only new references are asked for a clear one. */
export const refusedName = ({ ref, old, new: next }: RefUpdate): string | undefined =>
  isZeroOid(old) && !isZeroOid(next) ? unclearName(ref) : undefined;

export function checkName(update: RefUpdate): void {
  const reason = refusedName(update);
  if (reason) throw Invalid(reason);
}

function normal(update: RefUpdate): RefUpdate {
  if (!update.ref.startsWith('refs/') || !isRefName(update.ref))
    throw new Problem('invalid', `${update.ref} is not a valid reference name`);
  const width = Math.max(update.old.length, update.new.length);
  return {
    ref: update.ref,
    old: isZeroOid(update.old) ? '0'.repeat(width) : update.old,
    new: isZeroOid(update.new) ? '0'.repeat(width) : update.new,
  };
}

/** git's words for a reference that is not where it was thought to be. */
function refusal(error: GitFailure): Problem {
  const text = error.stderr;
  if (/but expected|already exists|unable to resolve|cannot create|exists; cannot/.test(text))
    return Conflict(`the reference has changed or its name clashes: ${firstLine(text)}`);
  if (/bad object|nonexistent object|non-commit object|invalid new value|not a valid SHA1/i.test(text))
    return new Problem('invalid', firstLine(text));
  return Conflict(firstLine(text));
}

const firstLine = (text: string) => (text.split('\n')[0] ?? '').replace(/^(fatal|error): /, '').slice(0, 300);
