import type { VNode } from 'preact';
import type { MailAttachment } from '@mortise/mail/api';
import type { Repository, RepositoryContext } from '@mortise/repositories/api';
import { defineEvent, definePoint, defineService, type Actor, type Keyed } from '@mortise/plugin-sdk';
import type { Issue, IssueContext } from './issues.js';
import type { ApiComment } from './models.js';

/**
 * One row of `timeline_entry`: a comment, or something else that happened to an issue or a pull request. Ids of comments
 * are ids of entries. Times are milliseconds since 1970 UTC.
 */
export interface TimelineEntry {
  readonly id: number;
  readonly issueId: number;
  readonly repositoryId: number;
  /** Key of a {@link TimelineKind}: `comment`, `label`, `close`, … */
  readonly kind: string;
  readonly actorId: number;
  /** Who wrote it where it was imported from; empty: the actor did. */
  readonly originalAuthor: string;
  /** Number of that account there; 0: not known. */
  readonly originalAuthorId: number;
  /** Markdown of a comment; of other kinds what the REST surface has as `body`. */
  readonly body: string;
  /** Number of what it is about, such as the label; 0: nothing with a number. */
  readonly subjectId: number;
  /** What the kind needs beyond that. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface NewTimelineEntry {
  readonly issue: Pick<Issue, 'id' | 'repositoryId'>;
  readonly kind: string;
  readonly actorId: number;
  readonly originalAuthor?: string;
  readonly originalAuthorId?: number;
  readonly body?: string;
  readonly subjectId?: number;
  readonly data?: Readonly<Record<string, unknown>>;
  /** Default: now. */
  readonly at?: number;
  /** A second entry of the issue with the same key is not stored. At most 191 characters. */
  readonly onceKey?: string;
}

/** What kinds get beside the entries. */
export interface TimelineView {
  readonly issue: Issue;
  readonly actor: Actor;
}

/** What kinds get beside the entries for a page. */
export interface TimelinePageView extends TimelineView {
  readonly context: RepositoryContext;
  /** Path of the repository's page. */
  readonly repositoryPath: string;
  /** Path of the account's page, and its name; of one that is gone, or of an original author, the name alone. */
  userLink(id: number, originalAuthor?: string): VNode;
}

/** One line of a conversation. */
export interface TimelineLine {
  /** Octicon name. */
  readonly icon: string;
  readonly tone?: 'success' | 'danger' | 'done';
  /** A sentence that begins with who did it; its texts are made in a component. */
  readonly text: VNode;
  /** Below the sentence, for instance a text that was written. */
  readonly below?: VNode;
}

/** What people wrote and another plugin keeps: over the REST surface it is read, changed and deleted as a comment. */
export interface WrittenElsewhere {
  /** By the id of the entry; one batch of queries however many. */
  texts(entries: readonly TimelineEntry[]): Promise<ReadonlyMap<number, Pick<TimelineEntry, 'body' | 'updatedAt'>>>;
  /** False: for the actor there is no such comment. The context is that of the entry's issue. */
  isVisible(entry: TimelineEntry, context: IssueContext, actor: Actor): Promise<boolean>;
  /** Without asking for rights; Invalid for a text without words. */
  edit(entry: TimelineEntry, context: IssueContext, body: string, actor: Actor): Promise<void>;
  delete(entry: TimelineEntry, context: IssueContext, actor: Actor): Promise<void>;
}

/** Extension point: a kind of entries of the timeline. */
export interface TimelineKind extends Keyed {
  /** A comment that people write: it is counted, edited and deleted as one. */
  readonly isComment?: boolean;
  /** Who makes one takes part in the conversation, as by a comment. */
  readonly isContribution?: boolean;
  /** Open pages of the conversation are told of new ones, by {@link Timeline.notifyPages}. */
  readonly isLiveUpdate?: boolean;
  /** Its subject is another issue: who may not read that one does not see the entry. */
  readonly isAboutIssue?: boolean;
  /** Its subject is a repository: who may not read the code of that one does not see the entry. */
  readonly isAboutRepository?: boolean;
  /** Its entries have ids and stand elsewhere, such as comments on lines below their review: no timeline lists them. */
  readonly isHidden?: boolean;
  /** Its texts are comments that another plugin keeps, such as those on lines. */
  readonly written?: WrittenElsewhere;
  /**
   * What can be found of its entries by the search, by their ids: nothing of what is left out. Absent: the body of
   * comments. Entries of kinds that have it are indexed with {@link Timeline.index} by whoever writes them.
   */
  texts?(entries: readonly TimelineEntry[]): Promise<ReadonlyMap<number, string>>;
  /** Its texts are about code: only who may read that finds them. */
  readonly isAboutCode?: boolean;
  /**
   * Further fields of the model `TimelineComment` by the id of the entry, and null for entries that the actor must not
   * see; one batch of queries however many.
   */
  fields?(
    entries: readonly TimelineEntry[],
    view: TimelineView,
  ): Promise<ReadonlyMap<number, Readonly<Record<string, unknown>> | null>>;
  /**
   * Lines of the page by the id of the entry; those that are left out are not shown. One batch of queries however many;
   * absent: pages pass the kind over.
   */
  lines?(entries: readonly TimelineEntry[], view: TimelinePageView): Promise<ReadonlyMap<number, TimelineLine>>;
}
export const timelineKinds = definePoint.keyed<TimelineKind>('issues.timelineKinds');

/** What a person wrote, for {@link Timeline.follow}. */
interface FollowedText {
  readonly repository: Repository;
  readonly issue: Issue;
  readonly entry: TimelineEntry;
  readonly texts: readonly string[];
  /** What was followed of it before. */
  readonly before?: readonly string[];
  /** Who wrote it, with what the credential reaches. */
  readonly actor: Actor;
  readonly at: number;
}

export interface Timeline {
  /**
   * Follows what an entry that people wrote names: people are mentioned, issues that are named tell of it. In the
   * transaction that stores it. Ids of those whom it mentions and did not before.
   */
  follow(written: FollowedText): Promise<number[]>;
  /** Brings the search up to what entries of a kind with `texts` say. In the transaction that changes them; only SQL. */
  index(ids: readonly number[]): Promise<void>;
  /** Open pages of the conversation say that there is something new. After the commit of what it tells about. */
  notifyPages(issue: Issue, entryId: number): Promise<void>;
  /** Joins the caller's transaction; only SQL inside. Undefined: the once key was there. */
  record(entry: NewTimelineEntry): Promise<TimelineEntry | undefined>;
  byId(id: number): Promise<TimelineEntry | undefined>;
  /** Removes entries of other kinds than comments, with reactions to them and their files. Joins the caller's transaction. */
  remove(issueId: number, ids: readonly number[]): Promise<void>;
  /** Of files that came by mail those that the settings let be attached to comments. */
  mailedFiles(files: readonly MailAttachment[]): MailAttachment[];
  /** Stores them with an entry that people wrote, once however often it is tried; gives links to them in Markdown. */
  attachMailed(entry: TimelineEntry, files: readonly MailAttachment[], actorId: number): Promise<string[]>;
  /** Model `Comment` of each, in the same order; without those whose issue is gone. */
  comments(entries: readonly TimelineEntry[], actor: Actor): Promise<ApiComment[]>;
}
export const timeline = defineService<Timeline>('issues.timeline');

export interface CommentEvent {
  readonly repositoryId: number;
  readonly issueId: number;
  readonly commentId: number;
  readonly action: 'created' | 'edited' | 'deleted';
  readonly actorId: number;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** Of `edited`: the text before. */
  readonly before?: string;
  /** Whom the text mentions who were not mentioned in it before. */
  readonly mentionedIds?: readonly number[];
  /** Of `deleted`: the model as it was. */
  readonly record?: Readonly<Record<string, unknown>>;
}
/** A comment was written, edited or deleted. Subscribe `within` for what must be there with the change. */
export const commentChanged = defineEvent<CommentEvent>('issues.commentChanged');
