/**
 * The one gate for references: checks → journal → references move → event in a transaction → journal removed.
 * A kill anywhere is repaired from the journal (architecture, 4 and 5).
 */
import {
  formatList,
  Invalid,
  NotFound,
  Problem,
  type Database,
  type Events,
  type Jobs,
  type Logger,
  type PointReader,
  type Text,
} from '@mortise/plugin-sdk';
import {
  isRefName,
  isZeroOid,
  refsUpdated,
  ambiguousNameProblem,
  type GitReader,
  type PushHint,
  type ReceivePoint,
  type RefChange,
  type RefCheck,
  type RefsUpdated,
  type RefUpdate,
  type RefUpdates,
  type RepositoryKind,
} from '../api.js';
import type { PushableRefs, PushSession, ReservedRefs, UpdateRequest } from '../contract/references.js';
import { maintainRepository } from '../jobs/maintain.js';
import { GitChange } from '../models/git-change.js';
import type { FormerTips } from './former-tips.js';
import type { Hooks } from './hooks.js';
import { Journal, type ChangeEntry } from './journal.js';
import { ObjectCheck } from './object-check.js';
import type { GitRunner } from './git-runner.js';
import { HookSession } from './push-session.js';
import { Quiescence } from './quiescence.js';
import { Recovery } from './recovery.js';
import { RefMoves, reversed } from './ref-moves.js';
import type { RefFingerprints } from './ref-fingerprints.js';
import type { FolderStore } from './store.js';
import type { WritePauses } from './write-pauses.js';
import { t } from '../texts/index.js';

interface GateDeps {
  readonly store: FolderStore;
  readonly runner: GitRunner;
  readonly reader: GitReader;
  readonly database: Database;
  readonly events: Events;
  readonly jobs: Jobs;
  readonly checks: PointReader<RefCheck>;
  readonly hints: PointReader<PushHint>;
  readonly reserved: PointReader<ReservedRefs>;
  readonly pushable: PointReader<PushableRefs>;
  /** Prefixes that the operator opens to pushes besides those of git and plugins. */
  readonly allowedRefs: readonly string[];
  readonly receivers: PointReader<ReceivePoint>;
  readonly journal: Journal;
  readonly pauses: WritePauses;
  readonly hooks: Hooks;
  readonly fingerprints: RefFingerprints;
  readonly formerTips: FormerTips;
  readonly log: Logger;
  readonly maintenanceDelayMs: number | undefined;
}

/** What git keeps for a work tree; it has no meaning on a server. What the server makes is hidden, and git says so. */
const ofWorkTrees = ['refs/stash', 'refs/bisect/', 'refs/rewritten/', 'refs/worktree/'];

/** Where clients push what is to be reviewed; nothing is kept by these names. */
const forReview = ['refs/for/', 'refs/draft/', 'refs/for-review/'];
/** Where everybody expects references to be. */
const standardPrefixes = ['refs/heads/', 'refs/tags/', 'refs/notes/'];
const isBelow = (ref: string, prefix: string) => ref.startsWith(prefix) || `${ref}/` === prefix;

export class RefGate implements RefUpdates {
  readonly recovery: Recovery;
  readonly quiescence: Quiescence;
  readonly #objectCheck: ObjectCheck;
  readonly moves: RefMoves;

  constructor(readonly deps: GateDeps) {
    this.quiescence = new Quiescence(deps.journal.folder);
    this.#objectCheck = new ObjectCheck(deps);
    this.moves = new RefMoves(deps);
    this.recovery = new Recovery({
      ...deps,
      complete: (entry, moved) => this.settle(entry, moved),
      move: (folder, updates) => this.moves.move(folder, updates),
    });
  }

  get journal(): Journal {
    return this.deps.journal;
  }

  get pauses(): WritePauses {
    return this.deps.pauses;
  }

  async apply(request: UpdateRequest): Promise<RefsUpdated> {
    const { store } = this.deps;
    const kind = request.kind ?? 'code';
    const id = request.repositoryId;
    const updates = request.updates.map(normal);
    if (!updates.length) throw new Problem('invalid', 'No references to update.');
    await this.repair(id, kind);
    if (!request.mustExist) await store.create(id, {}, kind);
    else if (!(await store.exists(id, kind))) throw NotFound('repository');
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
      for (const update of updates) this.checkCreated(update, request.source);
      await this.check(change);
    }
    if (!request.hasCheckedObjects) await this.#objectCheck.check(id, kind, updates);
    const entry = await this.begin(change, { isAtomic: true });
    const folder = store.path(id, kind);
    try {
      await this.moves.move(folder, updates);
    } catch (error) {
      // what git refused has not happened; a git that was killed may have moved some
      if (Problem.is(error) && error.code !== 'unavailable') await this.journal.end(entry);
      else await this.journal.refuse(entry);
      throw error;
    }
    try {
      return await this.settle(entry, updates, request.within);
    } catch (error) {
      if (await this.rollBack(entry, error)) return this.describe(entry, updates);
      throw error;
    }
  }

  /** A subscriber refused, or the database failed: references go back. True: the event is stored all the same. */
  private async rollBack(entry: ChangeEntry, reason: unknown): Promise<boolean> {
    const { store, log } = this.deps;
    try {
      // the answer of the database may be lost after its commit
      const isEventStored = !Problem.is(reason) && (await this.recovery.isEventStored(entry));
      if (!isEventStored)
        await this.moves.move(store.path(entry.repositoryId, entry.kind), entry.updates.map(reversed));
      await this.journal.end(entry);
      return isEventStored;
    } catch (error) {
      log.error('could not roll back refs yet', {
        event: 'git.refs.rollback',
        repositoryId: entry.repositoryId,
        error: String(error),
      });
      await this.journal.refuse(entry);
      return false;
    }
  }

  openPush(push: Parameters<RefUpdates['openPush']>[0]): PushSession {
    this.deps.hooks.ensure();
    return new HookSession(this, push);
  }

  /** Why a push may not make the reference, for its name alone. */
  refusedPush(update: RefUpdate, kind: RepositoryKind): Text | undefined {
    if (isZeroOid(update.new) || this.receiverOf(update, kind)) return undefined;
    return refusedName(update) ?? this.refusedPlace(update);
  }

  /** Who takes what is pushed by this name. */
  receiverOf({ ref, new: next }: RefUpdate, kind: RepositoryKind): ReceivePoint | undefined {
    if (isZeroOid(next) || kind !== 'code') return undefined;
    const all = this.deps.receivers.list();
    return all.find(({ prefixes }) => prefixes.some((prefix) => ref.startsWith(prefix) && ref !== prefix));
  }

  /** As for a push: what people make by the web and the API takes no reserved name either. */
  private checkCreated(update: RefUpdate, source: RefChange['source']): void {
    checkName(update);
    const isOfUser = source === 'web' || source === 'api';
    const reason = isOfUser && !isZeroOid(update.new) ? this.refusedPlace(update) : undefined;
    if (reason) throw Invalid(reason);
  }

  /** Reserved references that are there may move; elsewhere users move none, whoever brought them. */
  private refusedPlace({ ref, old }: RefUpdate): Text | undefined {
    return (isZeroOid(old) ? this.reservedName(ref) : undefined) ?? this.closedPlace(ref);
  }

  private closedPlace(ref: string): Text | undefined {
    const { pushable, allowedRefs, reserved } = this.deps;
    const open = [...standardPrefixes, ...pushable.list().map(({ prefix }) => prefix), ...allowedRefs];
    const isOpen = [...open, ...reserved.list().map(({ prefix }) => prefix)].some((prefix) => isBelow(ref, prefix));
    if (isOpen) return undefined;
    return t.later('error.refPlace', {
      ref,
      places: () => formatList(open.map((prefix) => prefix.replace(/\/$/, ''))),
    });
  }

  private reservedName(ref: string): Text | undefined {
    if (forReview.some((prefix) => isBelow(ref, prefix))) return t.later('error.refForReview', { ref });
    const prefixes = [...ofWorkTrees, ...this.deps.reserved.list().map(({ prefix }) => prefix)];
    const found = prefixes.find((prefix) => isBelow(ref, prefix));
    return found && t.later('error.refReserved', { prefix: found.replace(/\/$/, '') });
  }

  /**
   * Asks every check; the first that throws refuses.
   *
   * @param taken updates of the same push that receive points take
   */
  async check(change: RefChange, taken: readonly RefUpdate[] = []): Promise<void> {
    for (const check of this.deps.checks.list()) {
      const updates = check.ofContent ? [...change.updates, ...taken] : change.updates;
      if (updates.length) await check.check({ ...change, updates });
    }
  }

  /** `isAtomic`: its references move together or not at all. */
  async begin(change: RefChange, options: { readonly isAtomic: boolean }): Promise<ChangeEntry> {
    for (;;) {
      await this.quiescence.over();
      await this.pauses.waitForEnd(change.repositoryId, change.kind);
      const entry = await this.announce(change, options);
      const isPaused =
        (await this.quiescence.isPaused()) || (await this.pauses.isPaused(change.repositoryId, change.kind));
      if (!isPaused) return entry;
      await this.journal.end(entry);
    }
  }

  private async announce(change: RefChange, { isAtomic }: { readonly isAtomic: boolean }): Promise<ChangeEntry> {
    const repository = this.deps.reader.open(change.repositoryId, change.kind);
    const entry = await this.journal.begin({
      repositoryId: change.repositoryId,
      kind: change.kind,
      updates: change.updates,
      pusherId: change.pusher.id,
      pusherName: change.pusher.name,
      pushOptions: change.pushOptions,
      source: change.source,
      at: Date.now(),
      wasEmpty: await repository.isEmpty(),
      isAtomic,
      facts: change.facts,
    });
    const { updates } = change;
    await this.recovery.clearLocks(change.repositoryId, change.kind, { updates, besides: entry });
    return entry;
  }

  /** References have moved: chooses a default branch for what was empty, stores the event, ends the journal. */
  async settle(entry: ChangeEntry, moved: readonly RefUpdate[], within?: () => Promise<void>): Promise<RefsUpdated> {
    const { store, database, events, jobs } = this.deps;
    await this.deps.fingerprints.changed(store.path(entry.repositoryId, entry.kind));
    const payload = await this.describe(entry, moved);
    const { repositoryId, kind } = entry;
    const left = await this.deps.formerTips.leftBehind(this.deps.reader.open(repositoryId, kind), moved);
    await database.write(async () => {
      // completed by another process, which took this one for dead
      if (await database.query(GitChange).findById(entry.id)) return within?.();
      await database
        .query(GitChange)
        .insert({ id: entry.id, repository_id: entry.repositoryId, created_at: Date.now() });
      await this.deps.formerTips.record(repositoryId, kind, left, Date.now());
      await events.emit(refsUpdated, payload);
      await within?.();
      if (this.deps.maintenanceDelayMs !== undefined) {
        await jobs.enqueue(
          maintainRepository,
          { repositoryId: entry.repositoryId, kind: entry.kind },
          {
            uniqueKey: `git.maintain:${entry.repositoryId}:${entry.kind}`,
            runAt: Date.now() + this.deps.maintenanceDelayMs,
            priority: -10,
          },
        );
      }
    });
    await this.journal.end(entry);
    return payload;
  }

  private async describe(entry: ChangeEntry, moved: readonly RefUpdate[]): Promise<RefsUpdated> {
    const defaultBranch = entry.wasEmpty ? await this.chooseHead(entry, moved) : undefined;
    return {
      repositoryId: entry.repositoryId,
      kind: entry.kind,
      updates: moved,
      pusherId: entry.pusherId,
      pusherName: entry.pusherName,
      pushOptions: entry.pushOptions,
      source: entry.source,
      at: entry.at,
      wasEmpty: entry.wasEmpty,
      branchCount: (await this.deps.reader.open(entry.repositoryId, entry.kind).branches()).length,
      ...(defaultBranch === undefined ? {} : { defaultBranch }),
      ...(entry.facts === undefined ? {} : { facts: entry.facts }),
    };
  }

  /** HEAD of a repository that was empty follows what came, when its own branch did not come. */
  private async chooseHead(entry: ChangeEntry, moved: readonly RefUpdate[]): Promise<string | undefined> {
    const branches = moved
      .filter((update) => update.ref.startsWith('refs/heads/') && !isZeroOid(update.new))
      .map((update) => update.ref.slice(11));
    if (!branches.length) return undefined;
    const head = await this.deps.store.head(entry.repositoryId, entry.kind);
    if (branches.includes(head)) return undefined;
    const chosen = ['main', 'master'].find((name) => branches.includes(name)) ?? (branches[0] as string);
    await this.deps.store.writeHead(entry.repositoryId, chosen, entry.kind);
    return chosen;
  }

  repair(repositoryId?: number, kind: RepositoryKind = 'code'): Promise<void> {
    return this.recovery.repair(repositoryId, kind);
  }
}

/** Why the update may not be, for its name alone: only new references are asked for a clear one. */
const refusedName = ({ ref, old, new: next }: RefUpdate): Text | undefined =>
  isZeroOid(old) && !isZeroOid(next) ? ambiguousNameProblem(ref) : undefined;

function checkName(update: RefUpdate): void {
  const reason = refusedName(update);
  if (reason) throw Invalid(reason);
}

function normal(update: RefUpdate): RefUpdate {
  if (!update.ref.startsWith('refs/') || !isRefName(update.ref))
    throw new Problem('invalid', t.later('error.refName', { ref: update.ref.slice(0, 100) }));
  const width = Math.max(update.old.length, update.new.length);
  return {
    ref: update.ref,
    old: isZeroOid(update.old) ? '0'.repeat(width) : update.old,
    new: isZeroOid(update.new) ? '0'.repeat(width) : update.new,
  };
}
