/** What a field of a board holds. */
export const fieldKinds = ['text', 'number', 'date', 'single_select', 'iteration'] as const;
export type FieldKind = (typeof fieldKinds)[number];

/** One that a field of the kinds `single_select` and `iteration` can hold. */
export interface FieldOption {
  readonly id: number;
  readonly title: string;
  /** `#rrggbb`; empty: none. */
  readonly color: string;
  /** Of an iteration: its first day, `2026-01-31`, and how many days it takes. */
  readonly startsOn: string;
  readonly days: number;
}

/** A field that a board has of its own. */
export interface ProjectField {
  readonly id: number;
  readonly projectId: number;
  readonly name: string;
  readonly kind: FieldKind;
  readonly options: readonly FieldOption[];
}

/** What a card has in one field. */
export interface FieldValue {
  readonly fieldId: number;
  /** A text, a number, a date as `2026-01-31`; of an option its title. */
  readonly value: string | number;
  /** 0: not of the kinds `single_select` and `iteration`. */
  readonly optionId: number;
}

/** What moves cards by itself. */
export const ruleEvents = ['opened', 'assigned', 'review_requested', 'closed', 'merged', 'reopened'] as const;
export type RuleEvent = (typeof ruleEvents)[number];

/**
 * When that happens to an issue or a pull request on the board, its card goes to the end of the column. `opened` puts new
 * ones of the repository, or of the repositories of the account, on the board.
 */
export interface ProjectRule {
  readonly id: number;
  readonly projectId: number;
  readonly event: RuleEvent;
  readonly columnId: number;
}

export const viewLayouts = ['columns', 'table', 'roadmap'] as const;
export type ViewLayout = (typeof viewLayouts)[number];

/** How people look at a board; kept for all. */
export interface ProjectView {
  readonly id: number;
  readonly projectId: number;
  readonly title: string;
  readonly layout: ViewLayout;
  /** As in the address of the list of issues, without `?`. */
  readonly filter: string;
  /** What the layout knows more, such as the fields that a table shows. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The board opens with it; at most one of a board. */
  readonly isDefault: boolean;
  readonly creatorId: number;
}
