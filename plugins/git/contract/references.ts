/** The one gate through which every reference moves. */
import type { Readable, Writable } from 'node:stream';
import { defineEvent, definePoint, defineService, type Actor } from '@mortise/plugin-sdk';
import type { Facts } from './facts.js';
import type { RepositoryKind } from './names.js';

export interface RefUpdate {
  /** `refs/heads/main` */
  readonly ref: string;
  /** Zeros when it is new. */
  readonly old: string;
  /** Zeros when it goes away. */
  readonly new: string;
}

/** Where a change comes from. */
export type UpdateSource = 'http' | 'ssh' | 'api' | 'web' | 'merge' | 'mirror' | 'agit' | 'internal';

export interface RefChange {
  readonly repositoryId: number;
  readonly kind: RepositoryKind;
  readonly updates: readonly RefUpdate[];
  readonly pusher: Actor;
  /** `-o name=value`, and `true` for `-o name`; of repeated ones the last. */
  readonly pushOptions: Readonly<Record<string, string>>;
  /** All of them as they were given; see {@link pushOptionValues}. Set for pushes. */
  readonly pushOptionList?: readonly string[];
  readonly source: UpdateSource;
  /** Set for pushes: environment with which git sees the pushed objects; use {@link GitReader.quarantined}. */
  readonly quarantine?: Readonly<Record<string, string>>;
  /** What whoever moves the references lets checks and listeners know; see {@link defineFact}. */
  readonly facts?: Facts;
}

/** Extension point: what may refuse a change of references before it happens. */
export interface RefCheck {
  readonly key: string;
  readonly order?: number;
  /**
   * It is about what pushes bring, wherever that goes: its updates are also those that receive points take. Others are
   * asked only about references that move.
   */
  readonly ofContent?: true;
  /** Throws a Problem to refuse; its message is shown to the pusher. Not inside a transaction. */
  check(change: RefChange): Promise<void>;
}
export const refChecks = definePoint.keyed<RefCheck>('git.refChecks');

/** Extension point: commits that stay although no reference leads to them, such as those of deleted branches. */
export interface KeptCommits {
  readonly key: string;
  list(repositoryId: number, kind: RepositoryKind): Promise<readonly string[]>;
}
export const keptCommits = definePoint.keyed<KeptCommits>('git.keptCommits');

/**
 * Extension point: references that no push may make, because a plugin makes them itself. What is there already can be
 * moved and deleted.
 */
export interface ReservedRefs {
  readonly key: string;
  /** For instance `refs/queue/`. */
  readonly prefix: string;
}
export const reservedRefs = definePoint.keyed<ReservedRefs>('git.reservedRefs');

/**
 * Extension point: where pushes may make references besides `refs/heads/`, `refs/tags/` and `refs/notes/`, and what
 * receive points take.
 */
export interface PushableRefs {
  readonly key: string;
  /** For instance `refs/changes/`. */
  readonly prefix: string;
}
export const pushableRefs = definePoint.keyed<PushableRefs>('git.pushableRefs');

/** Extension point: lines shown in the pusher's terminal after a push (`remote: Create a pull request …`). */
export interface PushHint {
  readonly key: string;
  readonly order?: number;
  lines(change: RefChange): Promise<readonly string[]>;
}
export const pushHints = definePoint.keyed<PushHint>('git.pushHints', { fallback: { lines: [] } });

export interface RefsUpdated {
  readonly repositoryId: number;
  readonly kind: RepositoryKind;
  readonly updates: readonly RefUpdate[];
  readonly pusherId: number;
  readonly pusherName: string;
  readonly pushOptions: Readonly<Record<string, string>>;
  readonly source: UpdateSource;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** The repository had no branch before. */
  readonly wasEmpty: boolean;
  /** Branches that there are now. */
  readonly branchCount: number;
  /** HEAD was moved to this branch, because it named none that exists and the repository was empty. */
  readonly defaultBranch?: string;
  readonly facts?: Facts;
}
/** References have moved. Emitted once for each change, also after a kill between git and the database. */
export const refsUpdated = defineEvent<RefsUpdated>('git.refsUpdated');

export interface UpdateRequest {
  readonly repositoryId: number;
  readonly kind?: RepositoryKind;
  /** All or nothing. `old` must be what the reference holds now (zeros: must not exist). */
  readonly updates: readonly RefUpdate[];
  readonly pusher: Actor;
  readonly source: UpdateSource;
  readonly pushOptions?: Readonly<Record<string, string>>;
  readonly facts?: Facts;
  /** Leave out the checks (mirrors, undoing); default false. */
  readonly skipChecks?: boolean;
  /** The objects come from a repository of this server, where they were checked when they came; default false. */
  readonly hasCheckedObjects?: boolean;
  /** Throws NotFound where the repository has no folder; default: an empty one is made. */
  readonly mustExist?: boolean;
  /** More writes in the transaction of the event (only SQL). */
  within?(): Promise<void>;
}

/** The answer of a transport's hook. */
export interface PushSession {
  readonly environment: Readonly<Record<string, string>>;
  /** File descriptors 3 (up) and 4 (down) of the git process. */
  attach(up: Readable, down: Writable): void;
  /** Resolves when git has ended and everything is stored. */
  finish(): Promise<RefsUpdated | undefined>;
}

export interface RefUpdates {
  /**
   * Checks, moves the references atomically, stores the event. Conflict when a reference was not at `old`, or a name
   * clashes. Not inside a transaction.
   */
  apply(request: UpdateRequest): Promise<RefsUpdated>;
  /** For transports: run `git receive-pack` with this session's environment and descriptors. */
  openPush(push: {
    repositoryId: number;
    kind?: RepositoryKind;
    pusher: Actor;
    source: UpdateSource;
    facts?: Facts;
    /** All references that the client names, when they are known beforehand; saves git a question. */
    refs?: readonly string[];
    /** The client wants all or nothing: one bad name then refuses everything. */
    isAtomic?: boolean;
    /**
     * Runs first in the check with the parsed push options (push-to-create); may throw. `onlyReceived`: all that was
     * pushed belongs to {@link receivePoints}, so that no reference moves by its name.
     */
    before?(change: RefChange, options: { readonly onlyReceived: boolean }): Promise<void>;
  }): PushSession;
  /** Completes changes that were interrupted by a kill; done at start and on access too. */
  repair(repositoryId: number, kind?: RepositoryKind): Promise<void>;
}
export const refUpdates = defineService<RefUpdates>('git.refUpdates');
