/**
 * Commits that the site makes for people: on pages, over the API, by merging. The service lives here since this is the
 * lowest plugin that knows both accounts and git.
 */
import { definePoint, defineService, type Actor, type Keyed } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import {
  defineFact,
  type Commit,
  type CommitDraft,
  type Facts,
  type RefsUpdated,
  type RepositoryKind,
  type Signature,
  type UpdateSource,
} from '@mortise/git/api';

/** What is committed; the site has rules for each of them that say when it signs. */
export type CommitAction = 'initial' | 'crud' | 'wiki' | 'merge';

/**
 * Extension point: who signs commits that the site makes on behalf of people. The first that gives a signer does; its
 * name and address become the committer.
 */
export interface CommitSigner extends Keyed {
  readonly order?: number;
  signer(request: {
    readonly action: CommitAction;
    readonly actorId: number;
    /** The parents; for merges the base first, then the head. */
    readonly parents: readonly Commit[];
    /** Commits that a merge brings in; undefined: too many to look at. Read when asked for. */
    commits(): Promise<readonly Commit[] | undefined>;
  }): Promise<
    | { readonly name: string; readonly email: string; readonly sign: (payload: string | Buffer) => Promise<string> }
    | undefined
  >;
}
export const commitSigners = definePoint.keyed<CommitSigner>('repositories.commitSigners');

/** The commit that a repository begins with, written by the site: making the repository is told of, and not the push. */
export const firstCommit = defineFact<true>('repositories.firstCommit');

/** The repository that is written to. */
interface CommitTarget {
  readonly repositoryId: number;
  /** Default: `code`. */
  readonly kind?: RepositoryKind;
}

/** What the rules for signing look at. */
export interface SigningBasis extends CommitTarget {
  readonly action: CommitAction;
  readonly actor: Actor;
  /** Object ids of the parents; for merges, also by squashing and rebasing, the base first, then the head. */
  readonly parents: readonly string[];
}

/** The next commit of a branch. */
export type PlannedCommit =
  | {
      readonly tree: string;
      readonly message: string;
      /** Default: the head of the branch. */
      readonly parents?: readonly string[];
      /** Default: the actor, now. */
      readonly author?: Signature;
      readonly committer?: Signature;
      /** What the rules for signing look at in place of the parents. */
      readonly basis?: readonly string[];
      readonly facts?: Facts;
    }
  /** A commit that is there already, for instance to move forward. */
  | { readonly commit: string; readonly facts?: Facts };

export interface CommitRequest extends CommitTarget {
  /** Without `refs/heads/`; it is made where it is not there. */
  readonly branch: string;
  readonly actor: Actor;
  readonly source: UpdateSource;
  readonly action: CommitAction;
  /**
   * What to commit onto this head (undefined: there is no such branch). Asked again when the branch moved meanwhile, so
   * it does nothing that must not happen twice. Undefined: nothing is to be done.
   */
  plan(head: string | undefined): Promise<PlannedCommit | undefined>;
  /** Times that it is tried in all (default 30). */
  readonly maxAttempts?: number;
  readonly pushOptions?: Readonly<Record<string, string>>;
  /** For what the site does by itself, such as the first commit; default false. */
  readonly skipChecks?: boolean;
  /** More writes in the transaction that stores the event (only SQL). */
  within?(): Promise<void>;
}

export interface CommitResult {
  /** Where the branch is now; undefined: it is not there, and nothing was to be done. */
  readonly commit?: string;
  /** Where it was. */
  readonly head?: string;
  /** Undefined: it did not move. */
  readonly updated?: RefsUpdated;
}

export interface CommitWriter {
  /** Name and public address that commits of an account bear; of `instead` where the actor has none. */
  identityOf(actor: Actor, instead?: Account): Promise<Pick<Signature, 'name' | 'email'>>;
  /** The same with the present time. */
  signatureOf(actor: Actor, instead?: Account): Promise<Signature>;
  /**
   * For commits that are written without moving a branch, and for many at once (rebasing): decides once whether the site
   * signs them, and gives what makes a draft final. Write that with `gitWriter.writeCommit`, or hand this to
   * `gitWriter.rebase`.
   */
  signing(basis: SigningBasis): Promise<(draft: CommitDraft) => Promise<CommitDraft>>;
  /** Signs, where the site signs, and writes one commit; gives its id. No branch moves. */
  write(draft: CommitDraft, basis: Omit<SigningBasis, 'parents'> & { parents?: readonly string[] }): Promise<string>;
  /**
   * Puts a commit on a branch: one after the other within a process, through the gate, and made anew when another was
   * faster. Throws what the plan and the checks throw; Conflict when others were faster each time, or the name of the
   * branch clashes. Not inside a transaction.
   */
  commit(request: CommitRequest): Promise<CommitResult>;
}
export const commitWriter = defineService<CommitWriter>('repositories.commitWriter');
