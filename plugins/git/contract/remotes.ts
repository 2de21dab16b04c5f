/** Work with repositories of other servers: what they have, what comes from there, what goes there. */
import { defineService, Problem, type Actor, type Text } from '@mortise/plugin-sdk';
import type { Facts } from './facts.js';
import type { RepositoryKind } from './names.js';
import type { RefUpdate } from './references.js';

export type RemoteProtocol = 'http' | 'https' | 'git' | 'ssh';

/** What signs in at the other server; it is in no argument, no file of the repository, no error and no log. */
export interface RemoteCredentials {
  /** For http and https. */
  readonly username?: string;
  readonly password?: string;
  /** For ssh: a private key without passphrase in the form of OpenSSH. */
  readonly privateKey?: string;
  /** For ssh: lines of `known_hosts`; without them the key that the host shows at first is believed. */
  readonly knownHosts?: string;
}

export interface RemoteProgress {
  /** In git's words: `counting`, `compressing`, `receiving`, `resolving`, `writing`. */
  readonly stage: string;
  readonly done: number;
  readonly total: number;
}

export interface RemoteOptions {
  readonly credentials?: RemoteCredentials;
  /** For all of it; default: `READ_TIMEOUT` for a list, `CLONE_TIMEOUT` for what moves objects. */
  readonly timeoutMs?: number;
  /** What may come from the other server; default: 64 MiB for a list, `[git] REMOTE_MAX_SIZE` for what moves objects. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
  onProgress?(progress: RemoteProgress): void;
}

export interface RemoteRef {
  /** `refs/heads/main` */
  readonly ref: string;
  readonly oid: string;
}

export interface RemoteRefs {
  /** Branch that HEAD names. */
  readonly head: string | undefined;
  readonly refs: readonly RemoteRef[];
  /** Of an ssh host, to be given as `knownHosts` the next time. */
  readonly knownHosts?: string;
}

export interface RemoteFetch extends RemoteOptions {
  readonly kind?: RepositoryKind;
  readonly pusher: Actor;
  /**
   * Our reference for one of theirs; undefined leaves it out. Default: branches and tags by their own names. With
   * several for one of ours the last counts.
   */
  target?(ref: string): string | undefined;
  /** Which of our references go when the other server has none for them; default: none. */
  prunes?(ref: string): boolean;
  /** The objects are in the repository, and no reference has moved yet: for content outside git. What it throws ends it. */
  beforeMove?(updates: readonly RefUpdate[]): Promise<void>;
  /** More writes in the transaction in which the references move (only SQL). */
  within?(updates: readonly RefUpdate[]): Promise<void>;
  readonly facts?: Facts;
}

export interface RemoteFetched extends RemoteRefs {
  /** What has moved; empty: we had everything. */
  readonly updates: readonly RefUpdate[];
  /** References that no repository here may have, with the reason. */
  readonly leftOut: readonly { readonly ref: string; readonly reason: Text }[];
}

export interface RemotePush extends RemoteOptions {
  readonly kind?: RepositoryKind;
  /** Which of our references go there, by their own names. Default: branches and tags. */
  accepts?(ref: string): boolean;
  /** Which references of theirs go that we have not; default: none. */
  prunes?(ref: string): boolean;
  /** Which changes are not made, so that the reference stays there as it is; default: none. */
  leavesOut?(change: RefUpdate): Promise<boolean>;
  /** Before anything goes: for content outside git that must be there first. */
  beforePush?(changes: readonly RefUpdate[]): Promise<void>;
}

export interface RemotePushed {
  /** What the other server took. */
  readonly updates: readonly RefUpdate[];
  /** What it did not take, and what it said. */
  readonly refused: readonly { readonly ref: string; readonly reason: string }[];
  readonly knownHosts?: string;
}

/** Why work with another server came to nothing. */
export type RemoteFailure =
  /** No address, or of a kind that nobody may use. */
  | 'address'
  /** Administrators allow no connections to there. */
  | 'forbidden'
  | 'authentication'
  | 'notFound'
  /** No connection, or it broke off. */
  | 'unreachable'
  | 'tooLarge'
  | 'timeout'
  | 'aborted'
  /** What came is no repository, is broken, or contains what no push may contain. */
  | 'invalidData'
  | 'other';

/** A {@link Problem} (422) without credentials in its words; {@link remoteFailureOf} tells the kinds apart. */
export const remoteProblem = (failure: RemoteFailure, message: Text): Problem =>
  Object.assign(new Problem('invalid', message), { remoteFailure: failure });

/** Undefined for errors that are no failure of work with another server. */
export const remoteFailureOf = (error: unknown): RemoteFailure | undefined =>
  Problem.is(error) ? (error as Problem & { remoteFailure?: RemoteFailure }).remoteFailure : undefined;

/** An address that users named, taken apart. */
export interface RemoteAddress {
  readonly protocol: RemoteProtocol;
  readonly host: string;
  readonly port: number;
  /** To store and show: without user name and password; of ssh the user stays. */
  readonly url: string;
  /** From the address itself. */
  readonly username: string;
  readonly password: string;
}

/**
 * Runs git for addresses that users name. Each connection, also after a redirect, goes by way of this process, which
 * checks the resolved address at that moment (`[security] ALLOWED_HOST_LIST`, `[migrations]`) and counts what comes.
 */
export interface GitRemotes {
  /** Throws 422 unless it is an address that users may name: `http`, `https`, `git`, `ssh`, or `user@host:path`. */
  parse(address: string, protocols?: readonly RemoteProtocol[]): RemoteAddress;
  /** Throws 422 when connections to the host are not allowed for its name; the resolved address is checked later. */
  check(address: RemoteAddress): void;
  /** For other requests to the same host: what to give to `outbound` as `allowedHosts`. Throws as {@link check} does. */
  allowedHosts(host: string): string;
  /** All references of the other repository. */
  list(address: RemoteAddress, options?: RemoteOptions): Promise<RemoteRefs>;
  /**
   * Brings what is missing into a repository that is there: objects into a folder of their own, checked as pushed ones
   * are, then into the repository; then all references move at once through the gate, or none.
   */
  fetch(repositoryId: number, address: RemoteAddress, options: RemoteFetch): Promise<RemoteFetched>;
  /** Makes references of the other server what ours are; what is there is overwritten. */
  push(repositoryId: number, address: RemoteAddress, options?: RemotePush): Promise<RemotePushed>;
}
export const gitRemotes = defineService<GitRemotes>('git.remotes');
