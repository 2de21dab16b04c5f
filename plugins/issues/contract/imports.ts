import { defineService } from '@mortise/plugin-sdk';
import type { FieldValues } from '../fields/values.js';

/** Who wrote a text at the service that it was imported from. */
export interface OriginalAuthor {
  /** Empty: it was written here, or by somebody whose account here is known. */
  readonly originalAuthor: string;
  /** Number of the account there; 0: not known. */
  readonly originalAuthorId: number;
}

export interface ImportedReaction extends Pick<OriginalAuthor, 'originalAuthor'> {
  readonly userId: number;
  readonly content: string;
}

interface ImportedLabel {
  readonly name: string;
  /** Six hexadecimal digits in lower case. */
  readonly color: string;
  readonly description: string;
  readonly isExclusive: boolean;
  readonly isArchived: boolean;
}

/** Times are milliseconds since 1970 UTC; 0: none. */
interface ImportedMilestone {
  readonly title: string;
  readonly description: string;
  readonly isClosed: boolean;
  readonly dueAt: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly closedAt: number;
}

export interface ImportedIssue extends OriginalAuthor, Partial<FieldValues> {
  readonly number: number;
  readonly isPull: boolean;
  readonly title: string;
  readonly body: string;
  readonly posterId: number;
  readonly isClosed: boolean;
  readonly isLocked: boolean;
  readonly labelIds: readonly number[];
  /** 0: none. */
  readonly milestoneId: number;
  readonly assigneeIds: readonly number[];
  readonly reactions: readonly ImportedReaction[];
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly closedAt: number;
}

export interface ImportedComment extends OriginalAuthor {
  readonly issueId: number;
  readonly authorId: number;
  readonly body: string;
  readonly reactions: readonly ImportedReaction[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/**
 * Writes what was read from another service, as it was there: numbers, times and authors are given. Nobody is notified, no
 * event is emitted, and texts are taken as they are: the caller has checked their lengths. All of it runs in the caller's
 * transaction, a batch at a time, and gives ids in the order of what was given.
 */
export interface IssueImports {
  /** Each is a new one, also where there is one of its name. */
  labels(repositoryId: number, labels: readonly ImportedLabel[]): Promise<number[]>;
  /** Each is a new one, also where there is one of its title. */
  milestones(repositoryId: number, milestones: readonly ImportedMilestone[]): Promise<number[]>;
  /** Conflict where a number is given already. */
  issues(repositoryId: number, issues: readonly ImportedIssue[]): Promise<number[]>;
  comments(repositoryId: number, comments: readonly ImportedComment[]): Promise<number[]>;
  /** Reactions to entries of other kinds than comments, such as comments on lines. */
  reactions(issueId: number, entryId: number, reactions: readonly ImportedReaction[], at: number): Promise<void>;
  /** What counts among the comments of an issue though another plugin keeps it, such as what reviews say. */
  countComments(issueId: number, by: number): Promise<void>;
}
export const issueImports = defineService<IssueImports>('issues.imports');
