/**
 * The contract of `commit-status`: what machines say of commits, how it is asked for, and how it is said.
 */
import { defineEvent, defineService } from '@mortise/plugin-sdk';

export const statusStates = ['pending', 'success', 'error', 'failure', 'warning', 'skipped'] as const;
export type StatusState = (typeof statusStates)[number];

/** One row of `commit_status`. Times are milliseconds since 1970 UTC. */
export interface CommitStatus {
  readonly id: number;
  readonly repositoryId: number;
  /** Whole id of the commit. */
  readonly sha: string;
  /** Counts from 1 on each commit. */
  readonly position: number;
  readonly state: StatusState;
  /** What the status is about; empty is a context too. */
  readonly context: string;
  readonly description: string;
  readonly targetUrl: string;
  /** 0 or below: no account. */
  readonly creatorId: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface NewCommitStatus {
  readonly repositoryId: number;
  /** Whole id of a commit that exists. */
  readonly sha: string;
  readonly state: StatusState;
  readonly context?: string;
  readonly description?: string;
  readonly targetUrl?: string;
  readonly creatorId: number;
}

/** What the newest statuses of one commit say together. */
export interface CombinedState {
  readonly state: StatusState;
  /** The newest of each context, ordered by context. */
  readonly statuses: readonly CommitStatus[];
}

export interface CommitStatuses {
  /** Stores one more; joins an open transaction. Emits {@link commitStatusCreated}. */
  create(status: NewCommitStatus): Promise<CommitStatus>;
  /** The newest of each context for each commit that has any; two queries however many. */
  latest(repositoryId: number, oids: readonly string[]): Promise<ReadonlyMap<string, readonly CommitStatus[]>>;
  /** The same with the state of all together; `pending` and an empty list for a commit without any. */
  combined(repositoryId: number, oid: string): Promise<CombinedState>;
  /** Contexts that were told in the repository in the last week, by name; for choosing. */
  recentContexts(repositoryId: number): Promise<readonly string[]>;
}
export const commitStatuses = defineService<CommitStatuses>('commit-status.commitStatuses');

/**
 * What several states are together: `failure` when one failed, is in error or warns, `success` when all ended well or
 * were skipped, else `pending`.
 */
export function combineStates(states: readonly StatusState[]): StatusState {
  if (states.some((state) => ['error', 'failure', 'warning'].includes(state))) return 'failure';
  return states.length > 0 && states.every((state) => state !== 'pending') ? 'success' : 'pending';
}

/** Where a status leads to, if a person may be sent there: machines can write anything. */
export const statusLink = ({ targetUrl }: Pick<CommitStatus, 'targetUrl'>): string | undefined =>
  /^(?:https?:\/\/|\/)[^\s]+$/i.test(targetUrl) ? targetUrl : undefined;

/** A status was stored; in the transaction that stores it. */
export const commitStatusCreated = defineEvent<{
  statusId: number;
  repositoryId: number;
  sha: string;
  context: string;
  state: StatusState;
  creatorId: number;
}>('commit-status.created');
