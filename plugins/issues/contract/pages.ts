import type { ComponentChildren, VNode } from 'preact';
import {
  definePoint,
  defineService,
  type Actor,
  type FormValues,
  type Keyed,
  type RouteContext,
  type Slot,
  type WebPage,
} from '@mortise/plugin-sdk';
import { editorIslands, type MarkdownEditorProps } from '@mortise/markup/api';
import type { RepositoryContext } from '@mortise/repositories/api';
import type { FieldValues } from '../fields/values.js';
import type { Issue, IssueContext } from './issues.js';

/** What parts of the page of an issue or a pull request know. */
export interface IssuePageContext {
  readonly context: IssueContext;
  readonly actor: Actor;
  /** Path of the repository's page. */
  readonly repositoryPath: string;
}

/** Boxes beside the conversation, by order: labels 20, milestone 30, assignees 40, due date 50, participants 90. */
export const issueSidebar = definePoint.keyed<Slot<IssuePageContext>>('issues.sidebar');

/** Between the conversation and the form for a comment, for instance what is missing to merge. */
export const conversationEnd = definePoint.keyed<Slot<IssuePageContext>>('issues.conversationEnd');

/** How one of a list looks where it is more than open or closed. */
export interface IssueStyle {
  /** Octicon name. */
  readonly icon: string;
  readonly tone: 'open' | 'closed' | 'done' | 'muted';
  /** What the icon says: "Draft", "Merged". */
  readonly label: string;
}

/** Extension point: what rows of lists show of issues or pull requests beyond what both have. */
export interface IssueRowProperties extends Keyed {
  /** By the id of the issue; one batch of queries however many. Texts are made in components, and by functions. */
  properties(
    issues: readonly Issue[],
    actor: Actor,
  ): Promise<ReadonlyMap<number, { readonly style?: () => IssueStyle; readonly badge?: VNode }>>;
}
export const issueRowProperties = definePoint.keyed<IssueRowProperties>('issues.rowProperties', {
  fallback: { properties: new Map() },
});

/** What something new is sorted by; what is not there is passed over. */
export interface MetadataInput extends Partial<FieldValues> {
  readonly labelIds: readonly number[];
  /** 0: none. */
  readonly milestoneId: number;
  /** Names of accounts. */
  readonly assignees: readonly string[];
}

/** A text area for Markdown ({@link IssuePages.Editor}). */
export type TextEditorProps = Omit<MarkdownEditorProps, 'suggestions'>;

/** A form of fields that stands in place of a text ({@link IssuePages.textForm}). */
export interface TextForm {
  /** What the title begins with; empty: nothing. */
  readonly title: string;
  /** The fields, with what was sent before. `repository`: `owner/name`. */
  render(
    on: { readonly repository: string; readonly viewer: RouteContext },
    sent?: Readonly<Record<string, string | readonly string[] | undefined>>,
  ): Promise<VNode>;
  /** The text that was filled in; Invalid for what is missing or not as the form wants it. */
  body(sent: Readonly<Record<string, string | readonly string[] | undefined>>): string;
}

/** What pages show with a comment that another plugin keeps ({@link IssuePages.marks}). */
export interface CommentMarks {
  /** Below its text: its files and the reactions to it. */
  readonly below: VNode | null;
  /** Beside its author: adds a reaction, and hides it. */
  readonly menu: VNode | null;
  /** Behind the name of its author: what they are in the repository. */
  readonly badges: VNode | null;
  /** Around its text: folded, where it is hidden. */
  fold(this: void, text: ComponentChildren): ComponentChildren;
}

/** A comment that another plugin keeps. */
export interface CommentAuthor {
  readonly id: number;
  readonly authorId: number;
  /** Who wrote it where it was imported from; empty: the author did. */
  readonly originalAuthor: string;
}

/** Pages of issues, of which those of pull requests are made as well. */
export interface IssuePages {
  /** The list of a repository with its filters, and `above` it what else is to be seen there; `path`: `issues` or `pulls`, below the repository's page. */
  list(
    context: RouteContext<RepositoryContext>,
    options: { readonly isPull: boolean; readonly above?: VNode | null },
  ): Promise<WebPage>;
  /** The list across repositories of who is signed in; `path`: of the page, below the root of the site. */
  dashboard(context: RouteContext, options: { readonly isPull: boolean; readonly path: string }): Promise<WebPage>;
  /**
   * The conversation: text, timeline, form for a comment and sidebar. Its forms lead below `issues/{index}`, whichever
   * kind it is, and back to the page of the kind. The page names {@link conversationIslands}.
   */
  conversation(context: RouteContext<IssueContext>): Promise<VNode>;
  /** Title, with what changes it; `state` stands in place of open or closed, `about` below. */
  heading(
    context: RouteContext<IssueContext>,
    parts?: { readonly state?: VNode; readonly about?: VNode },
  ): Promise<VNode>;
  /**
   * Beside the form for something new: labels, milestone, assignees and fields such as the due date, for those who may write; null
   * for others. Stands in `issue-layout`. Sent, {@link IssuePages.metadataInput} reads it.
   */
  metadataFields(
    context: Pick<RouteContext<RepositoryContext>, 'resource'>,
    unit: 'issues' | 'pulls',
    sent?: FormValues,
  ): Promise<VNode | null>;
  /** What was chosen there, whoever sent it. Invalid for what is no value of its field. */
  metadataInput(values: FormValues): MetadataInput;
  /** By the ids of comments whose texts another plugin keeps; one batch of queries however many. */
  marks(on: IssuePageContext, comments: readonly CommentAuthor[]): Promise<ReadonlyMap<number, CommentMarks>>;
  /** A form as files of templates write them (YAML); undefined: it is none. */
  textForm(yaml: string, fileName: string): TextForm | undefined;
  /**
   * A component: a text area for Markdown. With a script it has a preview, and takes files that are dropped or pasted; one
   * that a script adds gets them by the event `mortise:added`. The page names {@link conversationIslands}.
   */
  Editor(this: void, props: TextEditorProps): VNode;
  /** A component: once on a page with editors that is no {@link IssuePages.conversation}. */
  EditorTexts(this: void): VNode;
}
export const issuePages = defineService<IssuePages>('issues.pages');

/** What pages with a {@link IssuePages.conversation} name in `islands`, beside `markupIslands`. */
export const conversationIslands = ['issues', 'issues-news', 'issues-style', 'suggest', ...editorIslands] as const;
