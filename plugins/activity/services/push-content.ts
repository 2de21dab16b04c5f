import { zonedTime, parseJsonObject } from '@mortise/plugin-sdk';
import type { Commit } from '@mortise/git/api';

/** What the entry of a push carries: the newest commits, in the form that clients of the REST surface know. */
export interface PushContent {
  readonly Commits: readonly PushedCommit[];
  readonly HeadCommit: PushedCommit | null;
  readonly CompareURL: string;
  /** Commits in all. */
  readonly Len: number;
}

export interface PushedCommit {
  readonly Sha1: string;
  readonly Message: string;
  readonly AuthorEmail: string;
  readonly AuthorName: string;
  readonly CommitterEmail: string;
  readonly CommitterName: string;
  readonly Timestamp: string;
}

/** Longer messages are cut: a feed shows the first line. */
const maxMessage = 2000;

export const pushedCommit = (commit: Commit): PushedCommit => ({
  Sha1: commit.oid,
  Message: commit.message.slice(0, maxMessage),
  AuthorEmail: commit.author.email,
  AuthorName: commit.author.name,
  CommitterEmail: commit.committer.email,
  CommitterName: commit.committer.name,
  Timestamp: zonedTime(commit.committer),
});

/** Of a stored entry; undefined when it carries none. */
export function readPush(content: string): PushContent | undefined {
  const value = content.startsWith('{') ? parseJsonObject(content) : undefined;
  return Array.isArray(value?.Commits) ? (value as unknown as PushContent) : undefined;
}
