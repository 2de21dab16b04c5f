/**
 * The contract of `markup`: texts become safe HTML, code becomes highlighted lines. All of it is done by threads of its
 * own, within limits of time, memory and size; what goes past them is shown as plain text.
 */
import { definePoint, defineService, type Actor, type Keyed } from '@mortise/plugin-sdk';
import type { SafeHtml } from './html.js';

/** Who reads: decides what references lead to, and whose turn it is. The context of a route is one. */
export interface Viewer {
  readonly actor: Actor;
  /** Of a visitor who is not signed in. */
  readonly remoteAddress?: string;
}

/**
 * `document` (default): a file; `comment`: a line feed is a line break and `#12` is a reference; `wiki`: `#12` is a
 * reference. `[markdown] RENDER_OPTIONS_*` may say otherwise.
 */
export type TextKind = 'document' | 'comment' | 'wiki';

export interface MarkupContext {
  readonly kind?: TextKind;
  /** Relative links lead below this path or whole address, for instance `/ada/wheel/src/branch/main/docs`. */
  readonly linkBase?: string;
  /** Relative images are read below this address, for instance `/ada/wheel/raw/branch/main/docs`. */
  readonly imageBase?: string;
  /** `owner/name` of the repository that the text stands in. */
  readonly repository?: string;
  /** References lead only to what this reader may see; default: somebody who is not signed in. */
  readonly viewer?: Viewer;
  /** Whole addresses, for HTML that is shown elsewhere (feeds, mails, answers of the API). */
  readonly absolute?: boolean;
  /** Whole address of the page that shows the text, where its HTML is read elsewhere: links to its own headings lead there. */
  readonly page?: string;
  /** Keeps the ids of one text apart from those of others on the same page: letters, digits and hyphens. */
  readonly idScope?: string;
}

export interface HighlightedCode {
  /** HTML of each line, escaped and highlighted by classes (`hljs-…`). */
  readonly lines: readonly string[];
  /** Undefined: plain text. */
  readonly language?: string;
}

export interface CodePiece {
  readonly fileName: string;
  readonly text: string;
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
  readonly viewer?: Viewer;
}

export interface Markup {
  /** Markdown as safe HTML. */
  render(text: string, context?: MarkupContext): Promise<SafeHtml>;
  /**
   * Many texts of one place, such as the comments of a page; no two of them share an id. The first `unscoped` of them have
   * the ids that `render` gives them.
   */
  renderAll(texts: readonly string[], context?: MarkupContext, unscoped?: number): Promise<SafeHtml[]>;
  /** Renders by the file's name; undefined when nothing renders such files. */
  renderFile(fileName: string, text: string, context?: MarkupContext): Promise<SafeHtml | undefined>;
  canRender(fileName: string): boolean;
  /**
   * A title, or the message of a commit: emoji, code between backticks, addresses and references; nothing else is
   * markup. Line feeds stay, so show it with `white-space: pre-wrap`.
   */
  renderMessage(text: string, context?: MarkupContext): Promise<SafeHtml>;
  /** Names of emoji in plain text become emoji: `:tada:`. The result is plain text. */
  emojify(text: string): string;
  /** Emoji whose names hold the text, those that begin with it first. */
  findEmoji(text: string, limit: number): readonly { readonly name: string; readonly emoji: string }[];
  /** Highlights code by the file's name. */
  highlight(fileName: string, text: string, viewer?: Viewer): Promise<HighlightedCode>;
  /** Highlights many pieces of code in one turn, as the files of a diff. */
  highlightAll(pieces: readonly CodePiece[], viewer?: Viewer): Promise<readonly HighlightedCode[]>;
  /**
   * Renders as the REST surface asks for it (MKP-01). Invalid for an unknown mode or a file that nothing renders;
   * `unavailable` when too many texts wait.
   */
  renderRequest(request: MarkupRequest): Promise<SafeHtml>;
  /** Removes whatever could run or deceive. */
  sanitize(html: string): Promise<SafeHtml>;
}
export const markup = defineService<Markup>('markup.markup');

/** What a file renderer may use. */
export interface RenderTools {
  readonly fileName: string;
  /** Escapes text for HTML. */
  escape(text: string): string;
  /** Highlighted and escaped code; `language` as a fence would name it, also an ending. */
  code(text: string, language: string): string;
  /** HTML of Markdown. */
  markdown(text: string): string;
}

/**
 * What the module of a {@link FileRendererModule} exports as default, or as `render`: gives HTML, which is sanitized
 * afterwards. It runs in a thread that is ended when it takes too long; it has no part of the host.
 */
export interface FileRenderer {
  render(text: string, tools: RenderTools): string | Promise<string>;
}

/** A renderer of a further kind of files. */
export interface FileRendererModule extends Keyed {
  /** Endings with the dot, lower case: `.ipynb`. */
  readonly extensions: readonly string[];
  /** `new URL('./renderers/notebook.js', import.meta.url)` */
  readonly module: URL;
}
export const fileRenderers = definePoint.keyed<FileRendererModule>('markup.fileRenderers');

export interface ReferenceContext {
  readonly kind: TextKind;
  readonly actor: Actor;
  /** `owner/name` of the repository that the text stands in. */
  readonly repository?: string;
}

export interface ReferenceLink {
  /** A whole address, or a path below the root of the site: `/ada/wheel/issues/12`. */
  readonly href: string;
  /** Text of the link; default: as it was written. */
  readonly label?: string;
  /** The label is shown as code. */
  readonly isCode?: boolean;
  readonly title?: string;
}

/** A kind of words that become links, such as `@ada` or `#12`. */
export interface MarkupReference extends Keyed {
  /**
   * What may be one; the whole match becomes the link. The longest match of all kinds at a place counts. A function gives
   * a pattern that users wrote, in the syntax of RE2, or undefined where there is none.
   */
  readonly pattern: RegExp | ((context: ReferenceContext) => Promise<string | undefined>);
  /** Only in comments and wikis, as `#12`. */
  readonly isShort?: boolean;
  /** Of two kinds that know a text, the lower order wins; default 100. */
  readonly order?: number;
  /**
   * Asked once for each text with all that matched, each once; what is not in the answer stays text. Must tell nothing
   * of what the actor may not see.
   */
  resolve(texts: readonly string[], context: ReferenceContext): Promise<ReadonlyMap<string, ReferenceLink>>;
}
export const markupReferences = definePoint.keyed<MarkupReference>('markup.references');
