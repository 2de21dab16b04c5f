import type { RenderTools } from '../../../contract/markup.js';
import { escapeHtml } from '../../../contract/escape.js';
import { BlockWalk, compact, dedent, endOfIndented, indentOf, isBlank, trimLines, Vain } from '../lines.js';
import { renderDirective } from './directives.js';
import { referenceName, type RstDocument } from './document.js';
import type { RstInline } from './inline.js';
import { gridTable, simpleTable } from './tables.js';

export const isAdornment = (line: string | undefined): boolean =>
  line !== undefined && line.length >= 2 && /^([!-/:-@[-`{-~])\1*$/.test(line);

const bullet = /^([*+\-\u2022\u2023])(?: +|$)/;
const enumerator = /^\(?(\d{1,9}|#|[a-zA-Z])[.)](?: +|$)/;
const field = /^:((?:[^:\\`\s]|\\.)(?:[^:\\`]|\\.|:(?=\S)){0,100}):(?: +|$)/;
const option =
  /^((?:-\w|--[a-zA-Z][\w-]*|\/[A-Z])(?:[ =](?:<[^<>]{1,50}>|[A-Za-z][\w-]*))?(?:, (?:-\w|--[a-zA-Z][\w-]*)(?:[ =](?:<[^<>]{1,50}>|[A-Za-z][\w-]*))?)*)(?: {2,}|$)/;

/** Blocks of reStructuredText, told by their first lines. */
export class RstBlocks {
  readonly vain = new Vain();
  readonly #walk = new BlockWalk(
    (lines, at) => this.#block(lines, at),
    (text) => this.pre(text),
  );

  constructor(
    readonly document: RstDocument,
    readonly inline: RstInline,
    readonly tools: RenderTools,
  ) {}

  render(lines: readonly string[]): string {
    return this.#walk.render(lines);
  }

  pre(text: string): string {
    return `<pre><code>${escapeHtml(text)}</code></pre>\n`;
  }

  /** A block and where it ends. */
  #block(lines: readonly string[], at: number): [string, number] {
    const line = lines[at]!;
    if (indentOf(line) > 0) {
      const end = endOfIndented(lines, at);
      return [`<blockquote>${this.render(dedent(lines.slice(at, end)))}</blockquote>\n`, end];
    }
    if (/^\.\.(?: |$)/.test(line)) return this.#explicit(lines, at);
    if (/^__ /.test(line)) return ['', at + 1];
    if (isAdornment(line)) {
      const heading = this.#overlined(lines, at);
      if (heading) return heading;
    }
    if (/^\+[-=+]{2,}\+$/.test(line)) return gridTable(this, lines, at);
    if (/^=+(?: +=+)+$/.test(line)) {
      const table = simpleTable(this, lines, at);
      if (table) return table;
    }
    if (!isBlank(lines[at + 1]) && isAdornment(lines[at + 1]) && lines[at + 1]!.length >= Math.min(line.length, 4))
      return [this.#heading(line, lines[at + 1]![0]!), at + 2];
    if (bullet.test(line)) return this.#list(lines, at, bullet, 'ul');
    if (enumerator.test(line)) return this.#list(lines, at, enumerator, 'ol');
    if (field.test(line)) return this.#fields(lines, at);
    if (option.test(line)) return this.#options(lines, at);
    if (/^>>> ?/.test(line)) {
      const end = paragraphEnd(lines, at);
      return [
        `<pre><code class="language-pycon">${this.tools.code(lines.slice(at, end).join('\n'), 'python')}</code></pre>\n`,
        end,
      ];
    }
    if (/^\|(?: |$)/.test(line)) return this.#lineBlock(lines, at);
    if (!isBlank(lines[at + 1]) && indentOf(lines[at + 1]!) > 0 && !line.endsWith('::'))
      return this.#definitions(lines, at);
    return this.#paragraph(lines, at);
  }

  /** A title between two lines, or a line that parts. */
  #overlined(lines: readonly string[], at: number): [string, number] | undefined {
    const [line, title, under] = [lines[at]!, lines[at + 1], lines[at + 2]];
    if (!isBlank(title) && under === line && title!.length <= line.length + 2)
      return [this.#heading(title!.trim(), `${line[0]}${line[0]}`), at + 3];
    return line.length >= 4 && isBlank(title) ? ['<hr>\n', at + 1] : undefined;
  }

  #heading(title: string, adornment: string): string {
    const level = this.document.levelOf(adornment);
    return `<h${level} id="${escapeHtml(this.document.headingId(title))}">${this.inline.render(title)}</h${level}>\n`;
  }

  #paragraph(lines: readonly string[], at: number): [string, number] {
    const end = paragraphEnd(lines, at);
    const text = lines.slice(at, end).join('\n');
    if (!text.endsWith('::')) return [`<p>${this.inline.render(text)}</p>\n`, end];
    const words = text === '::' ? '' : /\s::$/.test(text) ? text.slice(0, -3) : text.slice(0, -1);
    const [code, next] = this.#literal(lines, end);
    return [(words ? `<p>${this.inline.render(words)}</p>\n` : '') + code, next];
  }

  /** Indented, or each line begun with the same sign. */
  #literal(lines: readonly string[], at: number): [string, number] {
    let start = at;
    while (start < lines.length && isBlank(lines[start])) start++;
    const first = lines[start];
    if (first === undefined) return ['', at];
    let end = start;
    if (indentOf(first) > 0) end = endOfIndented(lines, start);
    else if (/^[!-/:-@[-`{-~]/.test(first)) while (!isBlank(lines[end]) && lines[end]![0] === first[0]) end++;
    else return ['', at];
    return [this.pre(dedent(lines.slice(start, end)).join('\n')), end];
  }

  /** Lines of an item: what follows it further in. */
  #item(lines: readonly string[], at: number, width: number): [string[], number] {
    const end = Math.max(at + 1, endOfIndented(lines, at + 1, Math.min(width, 2) || 1));
    const rest = lines.slice(at + 1, end);
    const inner = rest.length ? Math.min(width, ...rest.filter((line) => !isBlank(line)).map(indentOf), width) : width;
    return [[lines[at]!.slice(width), ...rest.map((line) => line.slice(Math.min(inner, indentOf(line))))], end];
  }

  #list(lines: readonly string[], at: number, marker: RegExp, tag: 'ul' | 'ol'): [string, number] {
    const first = marker.exec(lines[at]!)!;
    const kind = kindOf(first[1]!);
    const start = tag === 'ol' && /^\d+$/.test(first[1]!) && first[1] !== '1' ? ` start="${Number(first[1])}"` : '';
    let html = '';
    let next = at;
    while (next < lines.length) {
      const match = marker.exec(lines[next]!);
      if (!match || kindOf(match[1]!) !== kind) break;
      const [item, end] = this.#item(lines, next, match[0].length);
      html += `<li>${compact(this.render(trimLines(item)))}</li>\n`;
      next = end;
      while (next < lines.length && isBlank(lines[next])) next++;
    }
    return [`<${tag}${start}>\n${html}</${tag}>\n`, next];
  }

  #fields(lines: readonly string[], at: number): [string, number] {
    let rows = '';
    let next = at;
    for (let match; next < lines.length && (match = field.exec(lines[next]!));) {
      const [item, end] = this.#item(lines, next, match[0].length);
      rows += `<tr><th>${this.inline.render(match[1]!)}</th><td>${compact(this.render(trimLines(item)))}</td></tr>\n`;
      next = end;
      while (next < lines.length && isBlank(lines[next])) next++;
    }
    return [`<table><tbody>${rows}</tbody></table>\n`, next];
  }

  #options(lines: readonly string[], at: number): [string, number] {
    let rows = '';
    let next = at;
    for (let match; next < lines.length && (match = option.exec(lines[next]!));) {
      const [item, end] = this.#item(lines, next, match[0].length);
      rows += `<tr><td><kbd>${escapeHtml(match[1]!)}</kbd></td><td>${compact(this.render(trimLines(item)))}</td></tr>\n`;
      next = end;
      while (next < lines.length && isBlank(lines[next])) next++;
    }
    return [`<table><tbody>${rows}</tbody></table>\n`, next];
  }

  #lineBlock(lines: readonly string[], at: number): [string, number] {
    let end = at;
    while (end < lines.length && /^\|(?: |$)/.test(lines[end]!)) end++;
    const shown = lines.slice(at, end).map((line) => this.inline.render(line.slice(2)));
    return [`<p>${shown.join('<br>\n')}</p>\n`, end];
  }

  #definitions(lines: readonly string[], at: number): [string, number] {
    let html = '';
    let next = at;
    while (next < lines.length && !isBlank(lines[next]) && !isBlank(lines[next + 1])) {
      if (indentOf(lines[next]!) > 0 || indentOf(lines[next + 1]!) === 0 || /^\.\.(?: |$)/.test(lines[next]!)) break;
      const end = endOfIndented(lines, next + 1);
      const [term = '', ...kinds] = lines[next]!.split(' : ');
      const kind = kinds.length ? ` <em>${this.inline.render(kinds.join(' : '))}</em>` : '';
      html += `<dt>${this.inline.render(term)}${kind}</dt>\n<dd>${compact(this.render(dedent(lines.slice(next + 1, end))))}</dd>\n`;
      next = end;
      while (next < lines.length && isBlank(lines[next])) next++;
    }
    return [`<dl>\n${html}</dl>\n`, next];
  }

  /** What begins with two dots: directives, notes, targets, and comments. */
  #explicit(lines: readonly string[], at: number): [string, number] {
    const end = Math.max(at + 1, endOfIndented(lines, at + 1));
    const head = lines[at]!.slice(3);
    const body = dedent(lines.slice(at + 1, end));
    const directive = /^(?:\|[^|]{1,200}\| +)?([a-zA-Z][\w.+:-]{0,60}?)::(?: +(.*))?$/.exec(head);
    if (directive)
      return [
        head.startsWith('|') ? '' : renderDirective(this, directive[1]!.toLowerCase(), directive[2] ?? '', body),
        end,
      ];
    const note = /^\[(\d{1,6}|#[\w-]{0,64}|\*|[A-Za-z][\w.-]{0,64})\](?: +(.*))?$/.exec(head);
    if (note) {
      const name = escapeHtml(this.document.noteName(note[1]!, 'definition'));
      const content = compact(this.render(trimLines([note[2] ?? '', ...body])));
      return [`<p id="note-${name}"><small>[${name}] ${content.replace(/<\/?p>/g, ' ')}</small></p>\n`, end];
    }
    const target = /^_(`[^`]{1,200}`|(?:[^:\\]|\\.){1,200}):$/.exec(head);
    if (target && body.length === 0)
      return [
        `<span id="${escapeHtml(referenceName(target[1]!.replace(/^`|`$/g, '')).replaceAll(' ', '-'))}"></span>`,
        end,
      ];
    return ['', end];
  }
}

const kindOf = (marker: string) => (/\d|#/.test(marker) ? '1' : /[a-zA-Z]/.test(marker) ? 'a' : marker);

function paragraphEnd(lines: readonly string[], at: number): number {
  let end = at + 1;
  while (end < lines.length && !isBlank(lines[end])) end++;
  return end;
}
