import { escapeHtml } from '../../../contract/escape.js';
import { referenceName, type RstDocument } from './document.js';

/** Characters within which marks must end: what is longer is text. */
const maxSpan = 1_000;
/** Marks that could end one, but do not. */
const maxTries = 20;

const simpleRoles: Readonly<Record<string, string>> = {
  emphasis: 'em',
  strong: 'strong',
  literal: 'code',
  code: 'code',
  subscript: 'sub',
  sub: 'sub',
  superscript: 'sup',
  sup: 'sup',
  title: 'cite',
  'title-reference': 'cite',
  kbd: 'kbd',
  guilabel: 'strong',
  menuselection: 'strong',
  dfn: 'dfn',
  abbr: 'abbr',
};
const address = /^(?:https?:\/\/[^\s<>`]*[^\s<>`.,:;!?*_~)\]}'"]|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+)/;

interface Span {
  readonly html: string;
  readonly end: number;
}

/** Inline markup of reStructuredText: the constructs of the specification, each looked for within a bound. */
export class RstInline {
  #depth = 0;

  constructor(private readonly document: RstDocument) {}

  render(text: string): string {
    let html = '';
    let plain = 0;
    let at = 0;
    while (at < text.length) {
      const span = this.#isStart(text, at) ? this.#span(text, at) : undefined;
      if (!span) {
        at++;
        continue;
      }
      html += this.#plain(text.slice(plain, at)) + span.html;
      at = plain = span.end;
    }
    return html + this.#plain(text.slice(plain));
  }

  /** Backslashes protect what follows; before a blank they only part words. */
  #plain(text: string): string {
    return escapeHtml(text.replace(/\\(?:\s|([^\s]))/g, '$1'));
  }

  /** Marks count at the beginning of words, after opening punctuation or a blank. */
  #isStart(text: string, at: number): boolean {
    const character = text[at]!;
    if (!/[*`|_:[a-zA-Z0-9]/.test(character)) return false;
    const before = text[at - 1];
    return before === undefined || (/[\s'"([{<\-/:\u2010-\u2015\u00a0-\u00bf]/.test(before) && before !== '\\');
  }

  #span(text: string, at: number): Span | undefined {
    const character = text[at]!;
    if (text.startsWith('``', at)) return this.#marked(text, at, '``', (inner) => `<code>${escapeHtml(inner)}</code>`);
    if (text.startsWith('**', at))
      return this.#marked(text, at, '**', (inner) => `<strong>${this.#plain(inner)}</strong>`);
    if (character === '*') return this.#marked(text, at, '*', (inner) => `<em>${this.#plain(inner)}</em>`);
    if (character === '|') return this.#substitution(text, at);
    if (character === '[') return this.#note(text, at);
    if (text.startsWith('_`', at)) return this.#marked(text, at, '_`', (inner) => this.#target(inner), '`');
    if (character === '`' || character === ':') return this.#interpreted(text, at);
    return this.#word(text, at);
  }

  #marked(text: string, at: number, open: string, make: (inner: string) => string, close = open): Span | undefined {
    const end = closing(text, at + open.length, close);
    return end === undefined ? undefined : { html: make(text.slice(at + open.length, end)), end: end + close.length };
  }

  #target(name: string): string {
    return `<span id="${escapeHtml(referenceName(name).replaceAll(' ', '-'))}">${this.#plain(name)}</span>`;
  }

  #substitution(text: string, at: number): Span | undefined {
    const end = closing(text, at + 1, '|');
    if (end === undefined || this.#depth > 5) return undefined;
    const name = text.slice(at + 1, end);
    const known = this.document.substitutions.get(referenceName(name));
    if (known === undefined) return undefined;
    this.#depth++;
    const html = known.html ?? this.render(known.text);
    this.#depth--;
    const link = /^__?/.exec(text.slice(end + 1, end + 3))?.[0] ?? '';
    const href = link && this.document.targets.get(referenceName(name));
    return { html: href ? anchor(href, html) : html, end: end + 1 + link.length };
  }

  /** `[1]_`, `[#]_`, `[#name]_`, `[CIT2002]_` */
  #note(text: string, at: number): Span | undefined {
    const match = /^\[(\d{1,6}|#[\w-]{0,64}|\*|[A-Za-z][\w.-]{0,64})\]_(?!\w)/.exec(text.slice(at, at + 72));
    if (!match) return undefined;
    const name = this.document.noteName(match[1]!);
    const label = `<a href="#note-${escapeHtml(name)}">${escapeHtml(name)}</a>`;
    return { html: /^[\d#*]/.test(match[1]!) ? `<sup>${label}</sup>` : `[${label}]`, end: at + match[0].length };
  }

  /** `` `text`_ ``, `` `text <address>`_ ``, `` :role:`text` ``, `` `text`:role: `` */
  #interpreted(text: string, at: number): Span | undefined {
    const before = /^:([\w.+-]{1,64}(?::[\w.+-]{1,64})?):(?=`)/.exec(text.slice(at, at + 132));
    if (text[at] === ':' && !before) return undefined;
    const start = at + (before?.[0].length ?? 0) + 1;
    const end = closing(text, start, '`');
    if (end === undefined) return undefined;
    const inner = text.slice(start, end);
    const rest = text.slice(end + 1, end + 66);
    if (before) return { html: this.#role(before[1]!, inner), end: end + 1 };
    const link = /^__?(?!\w)/.exec(rest)?.[0];
    if (link) return { html: this.#named(inner), end: end + 1 + link.length };
    const after = /^:([\w.+-]{1,62}):/.exec(rest);
    if (after) return { html: this.#role(after[1]!, inner), end: end + 1 + after[0].length };
    return { html: `<cite>${this.#plain(inner)}</cite>`, end: end + 1 };
  }

  #role(name: string, inner: string): string {
    if (name === 'math') return `<code class="language-math">${escapeHtml(inner)}</code>`;
    const tag = simpleRoles[name];
    if (tag === 'code') return `<code>${escapeHtml(inner)}</code>`;
    if (tag) return `<${tag}>${this.#plain(inner)}</${tag}>`;
    // Roles of documentation tools name things: `:ref:`title <target>``, `:py:func:`~a.b``.
    const words = /^(.*?)\s*<[^<>]*>$/s.exec(inner)?.[1];
    if (/(?:^|:)(?:ref|doc|any|term|numref|download)$/.test(name)) return this.#plain(words ?? inner);
    return `<code>${escapeHtml(words ?? inner.replace(/^[~!]/, ''))}</code>`;
  }

  #named(inner: string): string {
    const direct = /^(.*?)\s*<([^<>]+)>$/s.exec(inner);
    if (direct) {
      const [, words = '', to = ''] = direct;
      const href =
        to.endsWith('_') && !to.includes('/')
          ? this.document.targets.get(referenceName(to.slice(0, -1)))
          : to.replace(/\s+/g, '');
      if (words && href) this.document.targets.set(referenceName(words), href);
      return href ? anchor(href, this.#plain(words || to)) : this.#plain(words || to);
    }
    const href = this.document.targets.get(referenceName(inner));
    return href ? anchor(href, this.#plain(inner)) : this.#plain(inner);
  }

  /** A word that is an address, or a reference such as `name_`. */
  #word(text: string, at: number): Span | undefined {
    const near = text.slice(at, at + maxSpan);
    const match = address.exec(near)?.[0];
    if (match)
      return {
        html: anchor(match.includes('://') ? match : `mailto:${match}`, escapeHtml(match)),
        end: at + match.length,
      };
    const name = /^[a-zA-Z0-9](?:[a-zA-Z0-9]|[-._+:](?=[a-zA-Z0-9])){0,100}/.exec(near)?.[0];
    if (!name) return undefined;
    const suffix = /^__?(?![\w`])/.exec(near.slice(name.length, name.length + 3))?.[0];
    const href = suffix && this.document.targets.get(referenceName(name));
    // The rest of a word begins nothing.
    return {
      html: href ? anchor(href, escapeHtml(name)) : escapeHtml(name),
      end: at + name.length + (href ? suffix.length : 0),
    };
  }
}

/** Where a mark ends: behind something that is no blank, and not within a word. */
function closing(text: string, start: number, close: string): number | undefined {
  if (start >= text.length || /\s/.test(text[start]!)) return undefined;
  const limit = Math.min(text.length, start + maxSpan);
  let tries = 0;
  for (let end = text.indexOf(close, start + 1); end >= 0 && end < limit; end = text.indexOf(close, end + 1)) {
    if (++tries > maxTries) break;
    if (/\s/.test(text[end - 1]!)) continue;
    if (text[end - 1] === '\\' && close !== '``') continue;
    const after = text[end + close.length];
    if (after === undefined || !/[a-zA-Z0-9]/.test(after)) return end;
  }
  return undefined;
}

const anchor = (href: string, html: string) => `<a href="${escapeHtml(href)}">${html}</a>`;
