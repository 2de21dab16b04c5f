/**
 * The public contract of `git-transport`: what every way of reaching git has in common. A transport finds out who acts,
 * asks {@link gitSessions} which repository is meant and whether it may, and has {@link gitTransfers} run git on streams.
 */
import type { Readable } from 'node:stream';
import { definePoint, defineService, type Actor, type Keyed } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { RepositoryKind, UpdateSource } from '@mortise/git/api';
import type { RepositoryContext } from '@mortise/repositories/api';

/** `upload-pack` sends to the client (clone, fetch, archive), `receive-pack` takes from it (push). */
export type GitService = 'upload-pack' | 'receive-pack';

// ----------------------------------------------------------------- sessions

export interface GitSessionRequest {
  readonly actor: Actor;
  readonly owner: string;
  /** As in the address: `name`, `name.git`, `name.wiki.git`. */
  readonly repo: string;
  readonly service: GitService;
}

/** A repository (or its wiki) that the actor may use in the asked way. */
export interface GitSession {
  readonly found: 'repository';
  readonly actor: Actor;
  readonly context: RepositoryContext;
  readonly kind: RepositoryKind;
  readonly service: GitService;
}

/** A push to what is not there yet, and may be made by it (REP-09, REP-10). */
export interface GitCreation {
  readonly found: 'missing';
  readonly actor: Actor;
  readonly owner: Account;
  readonly name: string;
}

/** It was renamed or moved; the actor may see it at its new place. */
export interface GitMoved {
  readonly found: 'moved';
  readonly owner: string;
  readonly name: string;
  readonly kind: RepositoryKind;
  /** The owner's name itself is gone, not only the repository's. */
  readonly ownerMoved: boolean;
}

export interface GitSessions {
  /**
   * Throws Unauthorized where signing in could help, Forbidden for what is not allowed (also by a
   * {@link GitSessionCheck}), NotFound for what is not there or must not be seen.
   */
  open(request: GitSessionRequest): Promise<GitSession | GitCreation | GitMoved>;
}
export const gitSessions = defineService<GitSessions>('git-transport.sessions');

/** Extension point: refuses a session by throwing a Problem (a mirror takes no pushes, a quota is used up). */
export interface GitSessionCheck extends Keyed {
  readonly order?: number;
  check(gitSession: GitSession): Promise<void>;
}
export const gitSessionChecks = definePoint.keyed<GitSessionCheck>('git-transport.sessionChecks');

// ---------------------------------------------------------------- running git

/** git at work. Destroying `output` ends a fetch; a push whose body is here is completed all the same. */
export interface GitExchange {
  /** What goes to the client. It is the pipe of the process itself where that is possible. */
  readonly output: Readable;
  /** git's exit code, after everything is stored; -1 when it was killed. Never rejects. */
  readonly done: Promise<number>;
  /** The last of what git said on standard error. */
  stderrExcerpt(): string;
}

export interface GitTransferOptions {
  /** What the client sends. */
  readonly input: Readable | Buffer;
  /** As the client asked for it (`Git-Protocol`, `GIT_PROTOCOL`); odd values mean none. */
  readonly protocol?: string;
}

export interface GitTransfers {
  /** What a client is told first, from the table of references without a process. Without the HTTP preamble. */
  advertise(gitSession: GitSession | GitCreation, service: GitService, protocol?: string): Promise<Buffer>;
  /**
   * A fetch. `stateless`: one request of a conversation (HTTP), where an answer from memory is a Buffer; else the
   * whole conversation including the advertisement (SSH).
   */
  uploadPack(gitSession: GitSession, options: GitTransferOptions & { stateless: true }): Promise<GitExchange | Buffer>;
  uploadPack(gitSession: GitSession, options: GitTransferOptions & { stateless: false }): Promise<GitExchange>;
  /** A push after its advertisement; makes the repository when there is none yet. */
  receivePack(
    gitSession: GitSession | GitCreation,
    options: GitTransferOptions & { source: UpdateSource },
  ): Promise<GitExchange>;
  /** `git archive --remote`. */
  uploadArchive(gitSession: GitSession, options: GitTransferOptions): Promise<GitExchange>;
}
export const gitTransfers = defineService<GitTransfers>('git-transport.transfers');
