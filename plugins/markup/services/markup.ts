import { createHash } from 'node:crypto';
import type MarkdownIt from 'markdown-it';
import { Invalid } from '@mortise/plugin-sdk';
import type { MemoryCache, PointReader, Site } from '@mortise/plugin-sdk';
import type { HighlightedCode, Markup, MarkupContext, MarkupReference, MarkupRenderer, MarkupRequest } from '../api.js';
import { languageOf } from './languages.js';
import { footnotes, highlighter, markdownParser, sanitizer } from './libraries.js';
import { markReferences, sanitizeOptions, taskLists, headingAnchors } from './rules.js';

const modes = ['comment', 'gfm', 'markdown', 'wiki', 'file', ''];
const mostHighlighted = 512 * 1024;
const escapeHtml = (text: string) =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign]!);

export interface MarkupParts {
  readonly site: Site;
  readonly renderers: PointReader<MarkupRenderer>;
  readonly references: PointReader<MarkupReference>;
  readonly rendered: MemoryCache<string>;
  readonly highlighted: MemoryCache<HighlightedCode>;
}

/** Bytes that a text takes: one a sign, or two. Looking through it also puts the pieces together that it was made of. */
const weightOf = (text: string) => 150 + text.length * (/[^\0-\xff]/.test(text) ? 2 : 1);

/** Lines of the text are kept, which may be a small part of a large one that would stay with them. */
const ownCopy = (text: string) => Buffer.from(text).toString();

/** Footnotes cost time by their number squared: texts with more marks of them than that are rendered without. */
const mostNotes = 2000;

/** Renders and colours; the results are kept under the hash of what went in. */
export class MarkupService implements Markup {
  readonly #parsers = new Map<string, MarkdownIt>();

  constructor(private readonly parts: MarkupParts) {}

  /** Loads what rendering needs before the first reader asks for it. */
  warm(): void {
    this.renderMarkdown(['# ready', '', '```js', '1', '```'].join('\n'));
  }

  renderMarkdown(text: string, context: MarkupContext = {}): string {
    return this.#kept('markdown', text, context, () => {
      const parser = this.#parserFor(text, context.hardBreaks ?? false);
      return this.#finish(parser.render(text, { context }), context);
    });
  }

  canRender(fileName: string): boolean {
    return this.#rendererOf(fileName) !== undefined;
  }

  renderFile(fileName: string, text: string, context: MarkupContext = {}): string | undefined {
    const render = this.#rendererOf(fileName);
    if (!render) return undefined;
    return this.#kept(ending(fileName), text, context, () => this.#finish(render(text, context), context));
  }

  highlight(fileName: string, text: string): HighlightedCode {
    const language = languageOf(fileName, text);
    const key = `${language ?? ''}:${hash(text)}`;
    const there = this.parts.highlighted.get(key);
    if (there) return there;
    const plain = !language || text.length > mostHighlighted || !highlighter().getLanguage(language);
    const html = plain
      ? ownCopy(escapeHtml(text))
      : highlighter().highlight(text, { language, ignoreIllegals: true }).value;
    const result = { lines: splitLines(html), ...(plain ? {} : { language }) };
    this.parts.highlighted.set(key, result, { size: weightOf(html) + 48 * result.lines.length });
    return result;
  }

  renderRequest(request: MarkupRequest): string {
    const { text, mode = '', filePath = '' } = request;
    if (!modes.includes(mode)) throw Invalid(`unknown mode ${mode}`);
    const context = this.#contextOf(request);
    if (mode !== 'file') return this.renderMarkdown(text, context);
    const html = filePath ? this.renderFile(filePath, text, context) : undefined;
    if (html === undefined) throw Invalid(`nothing renders ${filePath || 'a text without a file path'}`);
    return html;
  }

  /** Links of answers are whole addresses, for they are shown elsewhere. */
  #contextOf({ mode, context = '', wiki }: MarkupRequest): MarkupContext {
    const { site } = this.parts;
    const hardBreaks = mode === 'comment';
    const path = (context.startsWith(`${site.rootUrl}/`) ? context.slice(site.rootUrl.length) : context).replace(
      /^\/+|\/+$/g,
      '',
    );
    const [owner, name, ...rest] = path.split('/');
    if (!owner || !name || /[^\w.-]/.test(owner + name)) return { hardBreaks };
    const home = `/${owner}/${name}`;
    const inside = wiki || mode === 'wiki' ? `${home}/wiki` : rest.length ? `/${path}` : home;
    return {
      hardBreaks,
      repository: `${owner}/${name}`,
      linkBase: site.url(inside),
      imageBase: site.url(inside.replace(/^(\/[^/]+\/[^/]+)\/src\//, '$1/media/')),
    };
  }

  sanitize(html: string): string {
    return sanitizer()(html, sanitizeOptions({}, this.parts.site.basePath));
  }

  #rendererOf(fileName: string): ((text: string, context: MarkupContext) => string) | undefined {
    const end = ending(fileName);
    if (['.md', '.markdown', '.mdown', '.mkd', '.livemd'].includes(end))
      return (text, context) => this.#parserFor(text, false).render(text, { context });
    if (end === '.csv' || end === '.tsv') return (text) => table(text, end === '.csv' ? ',' : '\t');
    const foreign = this.parts.renderers.list().find((renderer) => renderer.endings.includes(end));
    return foreign && ((text, context) => foreign.render(text, context));
  }

  #parserFor(text: string, breaks: boolean): MarkdownIt {
    const notes = (text.match(/\[\^|\^\[/g)?.length ?? 0) <= mostNotes;
    const key = `${breaks} ${notes}`;
    const parser = this.#parsers.get(key) ?? this.#newParser(breaks, notes);
    this.#parsers.set(key, parser);
    return parser;
  }

  #newParser(breaks: boolean, notes: boolean): MarkdownIt {
    const parser = new (markdownParser())({
      html: true,
      linkify: true,
      breaks,
      highlight: (code, language) => {
        if (!language || !highlighter().getLanguage(language) || code.length > mostHighlighted) return '';
        return highlighter().highlight(code, { language, ignoreIllegals: true }).value;
      },
    });
    parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
    // Unsafe addresses are taken out once, by the sanitizer; the parser would leave their source text standing.
    parser.validateLink = () => true;
    parser.renderer.rules.s_open = () => '<del>';
    parser.renderer.rules.s_close = () => '</del>';
    if (notes) parser.use(footnotes());
    taskLists(parser);
    headingAnchors(parser);
    return parser;
  }

  #finish(html: string, context: MarkupContext): string {
    const safe = sanitizer()(html, sanitizeOptions(context, this.parts.site.basePath));
    return markReferences(safe, this.parts.references.list(), context, (path) => this.parts.site.path(path));
  }

  #kept(kind: string, text: string, context: MarkupContext, make: () => string): string {
    const key = `${kind}:${hash(JSON.stringify(context))}:${hash(text)}`;
    const there = this.parts.rendered.get(key);
    if (there !== undefined) return there;
    const html = make();
    this.parts.rendered.set(key, html, { size: weightOf(html) });
    return html;
  }
}

const hash = (text: string) => createHash('sha1').update(text).digest('base64');
const ending = (fileName: string) => {
  const at = fileName.lastIndexOf('.');
  return at < 0 ? '' : fileName.slice(at).toLowerCase();
};

/** Lines of highlighted HTML; a span that goes over a line end is closed and opened again. */
function splitLines(html: string): string[] {
  const open: string[] = [];
  return html
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .map((line) => {
      const start = open.join('');
      for (const [tag] of line.matchAll(/<span[^>]*>|<\/span>/g)) {
        if (tag === '</span>') open.pop();
        else open.push(tag);
      }
      return start + line + '</span>'.repeat(open.length);
    });
}

/** A table of comma or tab separated values (RFC 4180), at most 1000 rows. */
function table(text: string, separator: string): string {
  const rows: string[][] = [[]];
  let cell = '';
  let quoted = false;
  const end = () => {
    rows.at(-1)!.push(cell);
    cell = '';
  };
  for (let at = 0; at < text.length && rows.length <= 1001; at++) {
    const sign = text[at]!;
    if (quoted) {
      if (sign !== '"') cell += sign;
      else if (text[at + 1] === '"') {
        cell += '"';
        at++;
      } else quoted = false;
    } else if (sign === '"' && cell === '') quoted = true;
    else if (sign === separator) end();
    else if (sign === '\n') {
      end();
      rows.push([]);
    } else if (sign !== '\r') cell += sign;
  }
  if (cell || rows.at(-1)!.length) end();
  else rows.pop();
  const [head = [], ...body] = rows;
  const line = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((one) => `<${tag}>${escapeHtml(one)}</${tag}>`).join('')}</tr>`;
  return `<table><thead>${line(head, 'th')}</thead><tbody>${body.map((row) => line(row, 'td')).join('')}</tbody></table>`;
}
