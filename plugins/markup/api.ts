/** The contract of `markup`: texts become safe HTML, code becomes coloured lines. */
import { definePoint, defineService, type Keyed } from '@mortise/plugin-sdk';

export interface MarkupContext {
  /** Relative links lead below this path or whole address, for instance `/ada/wheel/src/branch/main/docs`. */
  readonly linkBase?: string;
  /** Relative images are read below this address, for instance `/ada/wheel/raw/branch/main/docs`. */
  readonly imageBase?: string;
  /** `owner/name` of the repository that the text stands in. */
  readonly repository?: string;
  /** A line feed is a line break, as in comments. */
  readonly hardBreaks?: boolean;
}

export interface HighlightedCode {
  /** HTML of each line, escaped and coloured by classes (`hljs-…`). */
  readonly lines: readonly string[];
  /** Undefined: plain text. */
  readonly language?: string;
}

/** What a client of the API or of the page sends to be rendered. */
export interface MarkupRequest {
  readonly text: string;
  /** `comment`, `gfm`, `markdown`, `wiki`, `file`, or empty for `markdown`. */
  readonly mode?: string;
  /** `owner/name`, also with `/src/branch/…` behind it, or a whole address of this site. */
  readonly context?: string;
  readonly filePath?: string;
  readonly wiki?: boolean;
}

export interface Markup {
  /** Markdown with tables, task lists, strikethrough, autolinks and heading anchors; sanitized; cached by content. */
  renderMarkdown(text: string, context?: MarkupContext): string;
  /** Renders by the file's name; undefined when nothing renders such files. */
  renderFile(fileName: string, text: string, context?: MarkupContext): string | undefined;
  canRender(fileName: string): boolean;
  /** Colours code by the file's name; beyond 512 KiB plain. */
  highlight(fileName: string, text: string): HighlightedCode;
  /** Renders as the REST surface asks for it (MKP-01); Invalid for an unknown mode or a file that nothing renders. */
  renderRequest(request: MarkupRequest): string;
  /** Removes whatever could run or deceive. */
  sanitize(html: string): string;
}
export const markup = defineService<Markup>('markup.markup');

/** A renderer of further kinds of files. Its HTML is sanitized by `markup`. */
export interface MarkupRenderer extends Keyed {
  /** Endings with the dot, lower case: `.adoc`. */
  readonly endings: readonly string[];
  render(text: string, context: MarkupContext): string;
}
export const markupRenderers = definePoint.keyed<MarkupRenderer>('markup.renderers');

/** Turns words such as `@ada` or `#12` into links; `pattern` needs the flag `g`. */
export interface MarkupReference extends Keyed {
  readonly pattern: RegExp;
  /** Address below the base path, or undefined to leave the text as it is. */
  link(match: RegExpMatchArray, context: MarkupContext): string | undefined;
}
export const markupReferences = definePoint.keyed<MarkupReference>('markup.references');
