import type { RenderTools } from '../../../contract/markup.js';
import { escapeHtml } from '../../../contract/escape.js';
import { headingId } from '../../markdown/blocks.js';
import { BlockWalk, compact, dedent, endOfIndented, isBlank, linesOf, trimLines, Vain } from '../lines.js';
import { OrgInline } from './inline.js';
import { orgTable } from './table.js';

const heading =
  /^(\*{1,30}) +(?:(TODO|DONE|NEXT|WAITING|CANCELLED|CANCELED) +)?(?:\[#([A-Z0-9])\] +)?(.*?)(?: +(:(?:[\w@#%]+:)+))?$/;
const item = /^( *)([-+]|\*(?=\s)|\d{1,9}[.)]|[a-zA-Z][.)])(?: +|$)(?:\[@\d+\] +)?(?:\[([ xX-])\] +)?/;
const keyword = /^ *#\+([\w-]{1,40}):\s*(.*)$/;
const opening = /^ *#\+begin_(\w{1,40})(?: +(.*))?$/i;

/** Org: what readmes and notes hold of it. Nothing is run, included or exported. */
export const renderOrg = (text: string, tools: RenderTools): string => new Org(tools).document(linesOf(text, 8));

class Org {
  readonly #inline = new OrgInline();
  readonly #ids = new Map<string, number>();
  readonly #notes: string[] = [];
  readonly #vain = new Vain();
  readonly #walk = new BlockWalk((lines, at) => this.#block(lines, at), pre);

  constructor(private readonly tools: RenderTools) {}

  document(lines: readonly string[]): string {
    const body = this.#render(lines);
    const notes = [...this.#notes, ...this.#inline.notes.map((note) => `<li>${note}</li>`)];
    return notes.length ? `${body}<section class="footnotes"><ol>${notes.join('\n')}</ol></section>` : body;
  }

  #render(lines: readonly string[]): string {
    return this.#walk.render(lines);
  }

  /** A block and where it ends. */
  #block(lines: readonly string[], at: number): [string, number] {
    const line = lines[at]!;
    const title = heading.exec(line);
    if (title) return [this.#heading(title), at + 1];
    const open = opening.exec(line);
    if (open) {
      const kind = open[1]!.toLowerCase();
      const end = this.#vain.has(lines, kind) ? undefined : this.#vain.note(lines, kind, endOfBlock(lines, at, kind));
      if (end !== undefined)
        return [this.#enclosed(open[1]!.toLowerCase(), open[2] ?? '', lines.slice(at + 1, end)), end + 1];
    }
    const key = keyword.exec(line);
    if (key) return [this.#keyword(key[1]!.toLowerCase(), key[2]!), at + 1];
    if (/^ *# |^ *#$/.test(line)) return ['', at + 1];
    if (/^ *:[\w-]+:\s*$/.test(line)) {
      const end = endOfDrawer(lines, at);
      if (end !== undefined)
        return [/^ *:(?:properties|logbook):/i.test(line) ? '' : this.#render(lines.slice(at + 1, end)), end + 1];
    }
    if (/^ *(?:SCHEDULED|DEADLINE|CLOSED): /.test(line))
      return [`<p><em>${escapeHtml(line.trim())}</em></p>\n`, at + 1];
    if (/^ *-{5,}\s*$/.test(line)) return ['<hr>\n', at + 1];
    if (/^ *: |^ *:$/.test(line)) return this.#fixed(lines, at);
    if (/^ *\|/.test(line)) return this.#table(lines, at);
    const note = /^\[fn:([\w-]{1,64})\] ?(.*)$/.exec(line);
    if (note) return this.#note(lines, at, note[1]!, note[2]!);
    if (item.test(line)) return this.#list(lines, at);
    return this.#paragraph(lines, at);
  }

  #heading([, stars = '', state, , words = '', tags]: RegExpExecArray): string {
    const level = Math.min(stars.length, 6);
    const id = headingId(words, this.#ids);
    const labels = tags
      ? ` <small>${tags
          .slice(1, -1)
          .split(':')
          .map((tag) => `<code>${escapeHtml(tag)}</code>`)
          .join(' ')}</small>`
      : '';
    return `<h${level} id="${escapeHtml(id)}">${state ? `<code>${state}</code> ` : ''}${this.#inline.render(words)}${labels}</h${level}>\n`;
  }

  #keyword(name: string, value: string): string {
    if (name === 'title' && value)
      return `<h1 id="${escapeHtml(headingId(value, this.#ids))}">${this.#inline.render(value)}</h1>\n`;
    if (name === 'subtitle' || name === 'caption')
      return value ? `<p><strong>${this.#inline.render(value)}</strong></p>\n` : '';
    if ((name === 'author' || name === 'date') && value) return `<p><em>${this.#inline.render(value)}</em></p>\n`;
    return '';
  }

  #enclosed(kind: string, rest: string, body: readonly string[]): string {
    // Lines that would be markup are protected by a comma.
    const text = dedent(body)
      .map((line) => line.replace(/^,(?=[*#,])/, ''))
      .join('\n');
    switch (kind) {
      case 'src': {
        const language = /^[\w+#.-]+/.exec(rest)?.[0] ?? '';
        const label = language ? ` class="language-${escapeHtml(language)}"` : '';
        return language === 'latex' || language !== 'math'
          ? `<pre><code${label}>${this.tools.code(text, language)}</code></pre>\n`
          : pre(text);
      }
      case 'quote':
        return `<blockquote>${this.#render(body)}</blockquote>\n`;
      case 'verse':
        return `<p>${trimLines(dedent(body))
          .map((line) => this.#inline.render(line))
          .join('<br>\n')}</p>\n`;
      case 'center':
        return `<div align="center">${this.#render(body)}</div>\n`;
      case 'comment':
        return '';
      case 'note':
      case 'tip':
      case 'important':
      case 'warning':
      case 'caution':
        return `<div class="markdown-alert markdown-alert-${kind}"><p class="markdown-alert-title">${kind[0]!.toUpperCase()}${kind.slice(1)}</p>\n${this.#render(body)}</div>\n`;
      case 'example':
      case 'export':
        return pre(text);
      default:
        return this.#render(body);
    }
  }

  #fixed(lines: readonly string[], at: number): [string, number] {
    let end = at;
    while (end < lines.length && /^ *: |^ *:$/.test(lines[end]!)) end++;
    return [
      pre(
        lines
          .slice(at, end)
          .map((line) => line.trimStart().slice(2))
          .join('\n'),
      ),
      end,
    ];
  }

  #table(lines: readonly string[], at: number): [string, number] {
    let end = at;
    while (end < lines.length && /^ *\|/.test(lines[end]!)) end++;
    return [
      orgTable(lines.slice(at, end), (text) => this.#inline.render(text)) ?? pre(lines.slice(at, end).join('\n')),
      end,
    ];
  }

  #note(lines: readonly string[], at: number, name: string, first: string): [string, number] {
    let end = at + 1;
    while (end < lines.length && !isBlank(lines[end]) && !this.#interrupts(lines[end]!)) end++;
    const text = [first, ...lines.slice(at + 1, end)].join('\n');
    this.#notes.push(`<li id="fn-${escapeHtml(name)}">${this.#inline.render(text)}</li>`);
    return ['', end];
  }

  #list(lines: readonly string[], at: number): [string, number] {
    const first = item.exec(lines[at]!)!;
    const indent = first[1]!.length;
    const isOrdered = /[.)]$/.test(first[2]!);
    let html = '';
    let isDefinition = false;
    let next = at;
    while (next < lines.length) {
      const match = item.exec(lines[next]!);
      if (!match || match[1]!.length !== indent || /[.)]$/.test(match[2]!) !== isOrdered || heading.test(lines[next]!))
        break;
      const end = Math.max(next + 1, endOfItem(lines, next + 1, indent));
      const [whole] = match;
      const rest = dedent(lines.slice(next + 1, end));
      const definition = isOrdered ? null : /^(.*?) +::(?: +|$)/.exec(lines[next]!.slice(whole.length));
      isDefinition ||= definition !== null && next === at;
      const head = lines[next]!.slice(whole.length + (isDefinition && definition ? definition[0].length : 0));
      const body = compact(this.#render(trimLines([head, ...rest])));
      html += isDefinition
        ? `<dt>${this.#inline.render(definition?.[1] ?? '')}</dt><dd>${body}</dd>\n`
        : `<li${match[3] ? ' class="task-list-item"' : ''}>${boxOf(match[3])}${body}</li>\n`;
      next = end;
      while (next < lines.length && isBlank(lines[next])) next++;
    }
    const tag = isDefinition ? 'dl' : isOrdered ? 'ol' : 'ul';
    return [`<${tag}>\n${html}</${tag}>\n`, next];
  }

  #paragraph(lines: readonly string[], at: number): [string, number] {
    let end = at + 1;
    while (end < lines.length && !isBlank(lines[end]) && !this.#interrupts(lines[end]!)) end++;
    return [
      `<p>${this.#inline.render(
        lines
          .slice(at, end)
          .map((line) => line.trimStart())
          .join('\n'),
      )}</p>\n`,
      end,
    ];
  }

  #interrupts(line: string): boolean {
    return (
      /^\*+ |^ *(?:#\+|\||:[\w-]*:?(?:\s|$)|-{5,}\s*$)|^\[fn:/.test(line) ||
      (item.test(line) && /^ *(?:[-+]|\d+[.)]) /.test(line))
    );
  }
}

const pre = (text: string) => `<pre><code>${escapeHtml(text)}</code></pre>\n`;
const boxOf = (state: string | undefined) =>
  state === undefined ? '' : `<input type="checkbox" disabled${/[xX]/.test(state) ? ' checked' : ''}>`;

function endOfBlock(lines: readonly string[], at: number, kind: string): number | undefined {
  const close = `#+end_${kind}`;
  for (let end = at + 1; end < lines.length; end++) if (lines[end]!.trim().toLowerCase() === close) return end;
  return undefined;
}

function endOfDrawer(lines: readonly string[], at: number): number | undefined {
  for (let end = at + 1; end < Math.min(lines.length, at + 500); end++) {
    if (/^ *:end:\s*$/i.test(lines[end]!)) return end;
    if (/^\*+ /.test(lines[end]!)) return undefined;
  }
  return undefined;
}

/** Lines of an item: what is further in; two blank lines end a list. */
function endOfItem(lines: readonly string[], start: number, indent: number): number {
  const end = endOfIndented(lines, start, indent + 1);
  for (let at = start; at < end - 1; at++) if (isBlank(lines[at]) && isBlank(lines[at + 1])) return at;
  return end;
}
