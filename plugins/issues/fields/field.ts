import type { VNode } from 'preact';
import type { FormValues, Joi } from '@mortise/plugin-sdk';
import type { Issue } from '../contract/issues.js';
import type { NewTimelineEntry, TimelineEntry, TimelinePageView } from '../contract/timeline.js';

/** The body of a request that creates or edits, as its schema let it pass. */
export type RequestBody = Readonly<Record<string, unknown>>;
/** Schemas of properties by their names. */
export interface Schemas {
  readonly [name: string]: Joi.Schema;
}

/** How requests of the API set a field. */
interface FieldOptions<Value> {
  /** Properties of the body that creates, and of the body that edits. */
  readonly create: Schemas;
  readonly edit: Schemas;
  /** Whoever opens an issue may set it; absent: only those who may write. */
  readonly isForAuthors?: boolean;
  /** Undefined: the body does not name it. */
  read(body: RequestBody, request: 'create' | 'edit'): Value | undefined;
}

export interface SentenceProps {
  readonly entry: TimelineEntry;
  readonly view: TimelinePageView;
}

/** What the timeline says when a field changes. */
interface FieldTimeline<Value> {
  /** Every kind of entry that `entry` makes. */
  readonly kinds: readonly string[];
  /** Octicon name. */
  readonly icon: string;
  /** Further properties of the record over the API are for those who may read code. */
  readonly isAboutCode?: boolean;
  entry(before: Value, after: Value): Pick<NewTimelineEntry, 'kind' | 'body' | 'data'>;
  /** Further properties of the record over the API; absent: its `body` says all. */
  record?(entry: TimelineEntry): Readonly<Record<string, unknown>>;
  /** A component: the line of the page. */
  Sentence(this: void, props: SentenceProps): VNode;
}

/** A control beside the conversation and beside the form for a new issue. */
export interface FieldForm<Value extends number | string = number | string> {
  /** Name of the input, and in addresses: `?set=due`. */
  readonly key: string;
  /** Among the boxes of the sidebar. */
  readonly order: number;
  /** Only while a page is made, for texts are those of its reader. */
  title(): string;
  /** A component: what the sidebar shows of an issue that has a value. */
  SidebarValue(this: void, props: { readonly issue: Issue }): VNode;
  /** A component: the control, named by a label for `id` or by itself. */
  Input(this: void, props: { readonly id?: string; readonly value: string }): VNode;
  /** The value as the control has it. */
  text(value: Value): string;
  /** What was sent; Invalid, at the control, for what is no value. */
  read(values: FormValues): Value;
}

/** All that is to be known of one field of issues. Everything that handles issues takes the list of them (`index.ts`). */
export interface IssueField<
  Name extends string = string,
  Column extends string = string,
  RecordName extends string = string,
  Value extends number | string = number | string,
  RecordValue = unknown,
> {
  /** In `Issue`, and in what creates and changes one. */
  readonly name: Name;
  /** Of the table `issue`. */
  readonly column: Column;
  /** The value of issues that have none. */
  readonly empty: Value;
  /** In the record over the API. */
  readonly record: {
    readonly name: RecordName;
    readonly schema: Joi.Schema;
    of(value: Value): RecordValue;
  };
  readonly options?: FieldOptions<Value>;
  readonly timeline: FieldTimeline<Value>;
  readonly form?: FieldForm<Value>;
  /** A component: what rows of lists say of an issue that has a value. */
  ListRow?(this: void, props: { readonly issue: Issue }): VNode;
}
