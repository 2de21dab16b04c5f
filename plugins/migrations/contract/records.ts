/**
 * What a source gives of a repository. Times are milliseconds since 1970 UTC; an absent one is not known. Texts are
 * Markdown. Nothing here is trusted: the importer cuts, cleans and counts whatever comes.
 */
import type { Readable } from 'node:stream';

/** An account of the source. */
export interface SourceUser {
  /** Its number there; absent or 0: none is known. */
  readonly id?: number;
  readonly name: string;
  readonly email?: string;
}

export interface SourceReaction {
  /** Short name of the emoji: `+1`, `heart`. */
  readonly content: string;
  readonly user: SourceUser;
}

export interface SourceRepository {
  readonly name: string;
  readonly description: string;
  readonly website?: string;
  readonly isPrivate: boolean;
  /** Empty: what the remote's HEAD names. */
  readonly defaultBranch: string;
  readonly topics: readonly string[];
  /** Where git fetches it from. */
  readonly cloneUrl: string;
  /** Where git fetches its wiki from; absent: there is none. */
  readonly wikiUrl?: string;
  /**
   * The references under which the source keeps the heads of pull requests, `{number}` standing for the number:
   * `refs/pull/{number}/head`. Absent: it has none.
   */
  readonly pullRef?: string;
  /** What is added to numbers in these references, where the source numbers pull requests apart; default 0. */
  readonly pullOffset?: number;
}

export interface SourceMilestone {
  /** Unique among the milestones, where issues name it by its id; else several of one title are one here. */
  readonly id?: string;
  readonly title: string;
  readonly description: string;
  readonly isClosed: boolean;
  readonly dueAt?: number;
  readonly createdAt?: number;
  readonly updatedAt?: number;
  readonly closedAt?: number;
}

export interface SourceLabel {
  /** Unique among the labels, where issues name it by its id; else several of one name are one here. */
  readonly id?: string;
  readonly name: string;
  /** Six or three hexadecimal digits, with or without `#`. */
  readonly color: string;
  readonly description: string;
  readonly isExclusive?: boolean;
  readonly isArchived?: boolean;
}

export interface SourceAsset {
  /** Unique among the assets of its release. */
  readonly id: string;
  readonly name: string;
  /** Bytes; absent: not known beforehand. */
  readonly size?: number;
  readonly createdAt?: number;
  /** Gives the content to `take`; the stream is closed when it has ended. */
  read<T>(take: (content: Readable) => Promise<T>, signal: AbortSignal): Promise<T>;
}

export interface SourceRelease {
  /** Unique among the releases. */
  readonly id: string;
  readonly tagName: string;
  /** Branch or commit that the tag is on, or is to be made on. */
  readonly target: string;
  readonly title: string;
  readonly note: string;
  readonly isDraft: boolean;
  readonly isPrerelease: boolean;
  readonly author: SourceUser;
  readonly createdAt?: number;
  readonly publishedAt?: number;
  readonly assets: readonly SourceAsset[];
}

export interface SourceIssue {
  /**
   * Its number here too. Issues and pull requests share the row of numbers: a source that numbers them apart gives those
   * of pull requests after the issues (`issueCount + n`), and rewrites nothing in texts.
   */
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly author: SourceUser;
  readonly isClosed: boolean;
  readonly isLocked: boolean;
  /** Names of labels. */
  readonly labels: readonly string[];
  /** Their ids in the same order, where labels have such; an empty one is not known. */
  readonly labelIds?: readonly string[];
  /** Title of a milestone. */
  readonly milestone?: string;
  readonly milestoneId?: string;
  readonly assignees: readonly SourceUser[];
  readonly reactions: readonly SourceReaction[];
  /** Branch or tag that it is about. */
  readonly ref?: string;
  readonly createdAt?: number;
  readonly updatedAt?: number;
  readonly closedAt?: number;
  readonly startAt?: number;
  readonly dueAt?: number;
}

export interface SourcePullBranch {
  /** Without `refs/heads/`. */
  readonly branch: string;
  /** Commit id. */
  readonly commit: string;
  /** `owner/name` of the repository there; absent: it is gone. */
  readonly repository?: string;
  /** Where git fetches that repository from, where it is another one than the one that is imported. */
  readonly cloneUrl?: string;
}

export interface SourcePullRequest extends SourceIssue {
  readonly head: SourcePullBranch;
  readonly base: SourcePullBranch;
  readonly isMerged: boolean;
  readonly mergedAt?: number;
  readonly mergeCommit?: string;
  readonly merger?: SourceUser;
  readonly isDraft?: boolean;
}

export interface SourceComment {
  /** Unique among the comments of the repository. */
  readonly id: string;
  /** Number of the issue or pull request. */
  readonly issue: number;
  readonly body: string;
  readonly author: SourceUser;
  readonly reactions: readonly SourceReaction[];
  readonly createdAt?: number;
  readonly updatedAt?: number;
}

export interface SourceReviewComment {
  /** Unique among the comments on lines of the repository. */
  readonly id: string;
  readonly author: SourceUser;
  readonly body: string;
  readonly path: string;
  /** Lines of the new file, or of the old one. */
  readonly side: 'new' | 'old';
  /** From 1; of several lines the last. 0: the source does not know it any more. */
  readonly line: number;
  /** First of several lines. */
  readonly startLine?: number;
  /** Commit whose lines are counted; absent: that of the review. */
  readonly commit?: string;
  /** Part of a unified diff that ends with the line. */
  readonly hunk?: string;
  /** Id of the comment that it answers. */
  readonly replyTo?: string;
  readonly isResolved?: boolean;
  readonly reactions: readonly SourceReaction[];
  readonly createdAt?: number;
  readonly updatedAt?: number;
}

export interface SourceReview {
  /** Unique among the reviews of the repository. */
  readonly id: string;
  /** Number of the pull request. */
  readonly pull: number;
  readonly state: 'approved' | 'rejected' | 'comment';
  readonly author: SourceUser;
  readonly body: string;
  /** Commit that was looked at. */
  readonly commit: string;
  readonly isDismissed?: boolean;
  readonly comments: readonly SourceReviewComment[];
  readonly createdAt?: number;
}

interface SourceProjectColumn {
  readonly title: string;
  /** Six or three hexadecimal digits, with or without `#`; absent: none. */
  readonly color?: string;
  /** Cards that are put on the board without saying where stand here; at most one of a board. */
  readonly isDefault?: boolean;
  /** How many cards it should have at most; 0 or absent: no limit. */
  readonly cardLimit?: number;
}

/** An issue or a pull request on a board. */
export interface SourceProjectCard {
  /** Its number; those that are not imported leave their place on the board. */
  readonly issue: number;
  /** Which of the columns, from 0. */
  readonly column: number;
  readonly isArchived?: boolean;
  /** What it has in the fields of the board, by their names; of a field with options the title of one. */
  readonly values?: readonly { readonly field: string; readonly value: string | number }[];
}

export interface SourceProjectField {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'date' | 'single_select' | 'iteration';
  /** Of the kinds `single_select` and `iteration`. */
  readonly options?: readonly {
    readonly title: string;
    readonly color?: string;
    /** Of an iteration: its first day as `2026-01-31`, and how many days it takes. */
    readonly startsOn?: string;
    readonly days?: number;
  }[];
}

export interface SourceProjectView {
  readonly title: string;
  readonly layout: 'columns' | 'table' | 'roadmap';
  /** As in the address of a list of issues, without `?`. */
  readonly filter: string;
  /** `sort` and `group` name a field of the board as `field:` and its name. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The board opens with it; at most one of a board. */
  readonly isDefault?: boolean;
}

/** A board. */
export interface SourceProject {
  /** Unique among the boards of the repository. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly isClosed: boolean;
  /** What its columns were made from, where the source says it. */
  readonly template?: 'none' | 'basic_kanban' | 'bug_triage';
  readonly cardType?: 'text_only' | 'images_and_text';
  readonly creator?: SourceUser;
  readonly createdAt?: number;
  readonly updatedAt?: number;
  readonly closedAt?: number;
  /** In their order. */
  readonly columns: readonly SourceProjectColumn[];
  /** Those of one column in their order. */
  readonly cards: readonly SourceProjectCard[];
  readonly fields?: readonly SourceProjectField[];
  readonly views?: readonly SourceProjectView[];
  /** When that happens to an issue its card goes to the column, which is numbered from 0; one for each event. */
  readonly rules?: readonly {
    readonly event: 'opened' | 'assigned' | 'review_requested' | 'closed' | 'merged' | 'reopened';
    readonly column: number;
  }[];
}
