/** The contract of `merge-queue`: what waits to be merged, and what becomes of it. */
import { defineEvent, defineService } from '@mortise/plugin-sdk';
import type { MergeStyle } from '@mortise/pulls/api';

/** Names of the fields that rules of branches have for it. */
export const queueOption = {
  required: 'enable_merge_queue',
  groupSize: 'merge_queue_group_size',
  timeoutMinutes: 'merge_queue_timeout_minutes',
} as const;

/** Context of the status that the head of a waiting pull request has. */
export const queueContext = 'merge-queue';

/** The commit that is tested: the head merged onto the base branch and all entries before it. */
interface MergeGroup {
  /** Full reference of the branch that keeps it. */
  readonly ref: string;
  readonly oid: string;
  /** What it was made onto. */
  readonly onto: string;
  /** Milliseconds since 1970 UTC. */
  readonly since: number;
}

/** A pull request that waits. Times are milliseconds since 1970 UTC. */
export interface QueueEntry {
  /** The lowest is merged first. */
  readonly id: number;
  readonly repositoryId: number;
  /** Of the pull request. */
  readonly issueId: number;
  readonly baseBranch: string;
  /** User who added it, and who merges it. */
  readonly userId: number;
  /** The head when it was added; a new head removes the entry. */
  readonly headOid: string;
  readonly style: MergeStyle;
  readonly mergeGroup: MergeGroup | undefined;
  readonly createdAt: number;
}

/** Why one left: merged; taken out by somebody; checks failed, or took too long; the rest says itself. */
export const dequeueReasons = [
  'merged',
  'removed',
  'checks',
  'timeout',
  'conflicts',
  'moved',
  'refused',
  'closed',
] as const;
export type DequeueReason = (typeof dequeueReasons)[number];

/** In the transaction of the change. */
export const mergeQueueChanged = defineEvent<{
  readonly repositoryId: number;
  readonly branch: string;
  readonly issueId: number;
  readonly action: 'enqueued' | 'dequeued';
  /** Of `dequeued`. */
  readonly reason?: DequeueReason;
  readonly actorId: number;
  readonly at: number;
}>('merge-queue.changed');

export interface MergeQueue {
  /** In the order in which they are merged. */
  list(repositoryId: number, branch: string): Promise<readonly QueueEntry[]>;
  of(issueId: number): Promise<QueueEntry | undefined>;
}
export const mergeQueue = defineService<MergeQueue>('merge-queue.mergeQueue');
