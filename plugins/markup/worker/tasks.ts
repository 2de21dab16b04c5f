/** What the threads are asked and what they answer: plain data, for it travels between threads. */

/** A pattern of text that may become a link. */
export interface ReferencePattern {
  readonly source: string;
  readonly flags: string;
  /** A user wrote it, in the syntax of RE2. */
  readonly isForeign?: boolean;
}

export interface RenderOptions {
  /** A line feed is a line break. */
  readonly hardBreaks: boolean;
  readonly math: boolean;
  /** Schemes of links that are allowed beside the usual ones. */
  readonly schemes: readonly string[];
  /** The text may begin with YAML. */
  readonly frontMatter: boolean;
  /** With what pages need: code and tables that can be focused, links to headings. */
  readonly forPage: boolean;
  /** Of the site, without a trailing slash: links below it are shown short. */
  readonly rootUrl: string;
  /** After a whole rendering took too long: no highlighting and nothing else that can be left out. */
  readonly lean: boolean;
  readonly patterns: readonly ReferencePattern[];
}

export interface RenderTask {
  readonly kind: 'render';
  /** Name of a built-in format, or the address of a module that renders. */
  readonly format: { readonly name: string } | { readonly module: string };
  readonly fileName: string;
  readonly text: string;
  readonly options: RenderOptions;
}

interface HighlightPiece {
  readonly fileName: string;
  readonly text: string;
}

export interface HighlightTask {
  readonly kind: 'highlight';
  readonly pieces: readonly HighlightPiece[];
}

interface SanitizeTask {
  readonly kind: 'sanitize';
  readonly html: string;
}

/** Loads what rendering needs. */
interface WarmTask {
  readonly kind: 'warm';
}

export type Task = RenderTask | HighlightTask | SanitizeTask | WarmTask;

/** A piece of text that patterns matched. */
export interface FoundReference {
  readonly text: string;
  /** Which patterns matched exactly this text. */
  readonly patterns: readonly number[];
}

export interface RenderedText {
  /**
   * Safe HTML, with slots between NUL characters that depend on the page and its reader: `L2:a.md` and `M0:a.png` are
   * addresses (segments to go up, -1 for the root of the repository), `R3` a reference, `U…` a
   * link of this site that is shown short.
   */
  readonly html: string;
  readonly references: readonly FoundReference[];
}

/** Lines joined by line feeds: one string travels faster than many. */
export interface HighlightedText {
  readonly html: string;
  readonly language?: string;
}

export type Answer<T extends Task> = T extends RenderTask
  ? RenderedText
  : T extends HighlightTask
    ? readonly HighlightedText[]
    : T extends SanitizeTask
      ? string
      : undefined;
