import type { ComponentChildren, VNode } from 'preact';
import {
  definePoint,
  defineService,
  type Actor,
  type Flash,
  type Keyed,
  type RouteContext,
  type Slot,
  type Text,
  type WebPage,
} from '@mortise/plugin-sdk';
import type { GitRepository } from '@mortise/git/api';
import type { DiffPage, DiffSlots } from '@mortise/history/api';
import type { IssuePageContext } from '@mortise/issues/api';
import type { Repository } from '@mortise/repositories/api';
import type { PullContext, PullRequest } from './pulls.js';

/** What parts of the pages of a pull request know. Boxes at the side are those of `issueSidebar`, for its issue. */
export interface PullPageContext extends IssuePageContext {
  readonly context: PullContext;
}

/**
 * Rows of the box that says what is missing to merge, by order: state 10, checks 30, what is in the way 50. For instance
 * what reviews say.
 */
export const pullMergeBox = definePoint.keyed<Slot<PullPageContext>>('pulls.mergeBox');

/** What a diff of a pull request shows. */
export interface PullDiff {
  readonly page: PullPageContext;
  readonly git: GitRepository;
  /** Where the difference begins; undefined: everything is new. */
  readonly start: string | undefined;
  readonly head: string;
  /** All that the pull request changes as it is now, and no part of it or an older state. */
  readonly isWhole: boolean;
  readonly piece: DiffPage;
}

/** Extension point: what is added to the changed files of a pull request, such as comments at their lines. */
export interface PullDiffExtension extends Keyed {
  readonly order?: number;
  /** Islands that pages of the pull request need for it: what it shows may stand in the conversation, too. */
  readonly islands?: readonly string[];
  /** One batch of queries however many files and lines. Texts are made in components. */
  slots(diff: PullDiff): Promise<DiffSlots>;
}
export const pullDiffExtensions = definePoint.keyed<PullDiffExtension>('pulls.diffExtensions');

/** Extension point: a field of the form for a new pull request, for what a `PullPart` begins with. */
export interface NewPullField extends Keyed {
  readonly order?: number;
  /** Undefined: the form was not sent yet. Texts are made in components. */
  render(
    page: NewPullPage,
    sent: Readonly<Record<string, string | readonly string[] | undefined>> | undefined,
  ): VNode | Promise<VNode>;
  /** What the extension of the same key is given (`NewPullRequest.extensions`). */
  input(sent: Readonly<Record<string, string | readonly string[] | undefined>>): unknown;
}
export interface NewPullPage {
  readonly actor: Actor;
  readonly repository: Repository;
  readonly repositoryId: number;
  readonly baseBranch: string;
  readonly headRepositoryId: number;
  readonly headBranch: string;
  /** Paths that it would change. */
  paths(): Promise<readonly string[]>;
}
export const newPullFields = definePoint.keyed<NewPullField>('pulls.newPullFields');

export interface PullPageOptions {
  readonly body: ComponentChildren;
  readonly title?: Text;
  readonly islands?: readonly string[];
  readonly flash?: Flash;
}

/** Pages of a pull request, for plugins that add to them. */
export interface PullPages {
  /** One with the header and the tabs; `tab`: `conversation`, `commits`, `files` or `checks`. */
  page(context: RouteContext<PullContext>, tab: string, options: PullPageOptions): Promise<WebPage>;
  /** The conversation with the merge box, to be shown again with what was refused. */
  conversation(context: RouteContext<PullContext>, flash?: Flash): Promise<WebPage>;
  /** The changed files, to be shown again with what was refused. */
  files(context: RouteContext<PullContext>, flash?: Flash): Promise<WebPage>;
  /** Path of the page of a pull request. */
  path(context: Pick<PullContext, 'repository'> & { readonly pull: Pick<PullRequest, 'index'> }): string;
}
export const pullPages = defineService<PullPages>('pulls.pages');

/** What a plugin adds to the number beside "Conversation", which counts comments. */
export interface ConversationCounter extends Keyed {
  count(issueId: number): Promise<number>;
}
export const conversationCounters = definePoint.keyed<ConversationCounter>('pulls.conversationCounters', {
  fallback: { count: 0 },
});
