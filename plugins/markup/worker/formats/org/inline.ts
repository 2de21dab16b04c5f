import { escapeHtml } from '../../../contract/escape.js';

/** Characters within which marks must end: what is longer is text. */
const maxSpan = 1_000;
/** Marks that could end one, but do not. */
const maxTries = 20;

const delimiters: Readonly<Record<string, string>> = {
  '*': 'strong',
  '/': 'em',
  _: 'ins',
  '+': 'del',
  '=': 'code',
  '~': 'code',
};
const address = /^(?:https?|ftp|mailto):[^\s<>[\]]*[^\s<>[\].,:;!?)}'"]/;
const images = /\.(?:png|jpe?g|gif|webp|svg|avif|bmp)$/i;

interface Span {
  readonly html: string;
  readonly end: number;
}

/** Inline markup of Org, each construct looked for within a bound. */
export class OrgInline {
  readonly notes: string[] = [];
  #depth = 0;

  render(text: string): string {
    if (this.#depth > 8) return escapeHtml(text);
    this.#depth++;
    let html = '';
    let plain = 0;
    let at = 0;
    while (at < text.length) {
      const span = this.#span(text, at);
      if (!span) {
        at++;
        continue;
      }
      html += plainText(text.slice(plain, at)) + span.html;
      at = plain = span.end;
    }
    this.#depth--;
    return html + plainText(text.slice(plain));
  }

  #span(text: string, at: number): Span | undefined {
    const character = text[at]!;
    if (character === '[') return this.#bracket(text, at);
    if (character === '<') return this.#angle(text, at);
    if (character === '\\') return formula(text, at);
    if (character === '$') return dollars(text, at);
    const before = text[at - 1];
    if (before !== undefined && !/[\s\-({'"|]/.test(before)) return undefined;
    if (delimiters[character]) return this.#marked(text, at, character, delimiters[character]);
    const match = /[hfm]/.test(character) ? address.exec(text.slice(at, at + maxSpan))?.[0] : undefined;
    return match
      ? { html: `<a href="${escapeHtml(match)}">${escapeHtml(match)}</a>`, end: at + match.length }
      : undefined;
  }

  #marked(text: string, at: number, delimiter: string, tag: string): Span | undefined {
    const start = at + 1;
    if (start >= text.length || /\s/.test(text[start]!)) return undefined;
    const limit = Math.min(text.length, start + maxSpan);
    let tries = 0;
    for (
      let end = text.indexOf(delimiter, start + 1);
      end >= 0 && end < limit;
      end = text.indexOf(delimiter, end + 1)
    ) {
      if (++tries > maxTries) break;
      if (/\s/.test(text[end - 1]!) || !/^(?:[\s\-.,;:!?'")}\]|]|$)/.test(text.slice(end + 1, end + 2))) continue;
      const inner = text.slice(start, end);
      return { html: `<${tag}>${tag === 'code' ? escapeHtml(inner) : this.render(inner)}</${tag}>`, end: end + 1 };
    }
    return undefined;
  }

  /** Links, footnotes, dates that are over. */
  #bracket(text: string, at: number): Span | undefined {
    const near = text.slice(at, at + maxSpan);
    const link = /^\[\[([^[\]]+)\](?:\[([^[\]]+)\])?\]/.exec(near);
    if (link) return { html: this.#link(link[1]!, link[2]), end: at + link[0].length };
    const note = /^\[fn:([\w-]{0,64})(?::([^[\]]+))?\]/.exec(near);
    if (note) {
      if (note[2]) this.notes.push(`<sup>${escapeHtml(note[1]!)}</sup> ${this.render(note[2])}`);
      const name = escapeHtml(note[1]!);
      return {
        html: note[2] && !name ? `<sup>*</sup>` : `<sup><a href="#fn-${name}">${name}</a></sup>`,
        end: at + note[0].length,
      };
    }
    const date = /^\[\d{4}-\d\d-\d\d[^\]\n]{0,40}\]/.exec(near);
    return date ? { html: `<em>${escapeHtml(date[0])}</em>`, end: at + date[0].length } : undefined;
  }

  #angle(text: string, at: number): Span | undefined {
    const near = text.slice(at, at + maxSpan);
    const date = /^<\d{4}-\d\d-\d\d[^>\n]{0,40}>/.exec(near);
    if (date) return { html: `<em>${escapeHtml(date[0])}</em>`, end: at + date[0].length };
    const target = /^<<([^<>\n]{1,100})>>/.exec(near);
    if (target)
      return { html: `<span id="${escapeHtml(target[1]!.replace(/\s+/g, '-'))}"></span>`, end: at + target[0].length };
    const link = /^<((?:https?|mailto):[^<>\s]+)>/.exec(near);
    return link
      ? { html: `<a href="${escapeHtml(link[1]!)}">${escapeHtml(link[1]!)}</a>`, end: at + link[0].length }
      : undefined;
  }

  #link(to: string, words: string | undefined): string {
    const plain = to.replace(/^file:/, '').replace(/::.*$/, '');
    const href = /^\*/.test(plain) ? `#${anchorOf(plain.slice(1))}` : /^#/.test(plain) ? plain : plain;
    if (words === undefined && images.test(plain)) return `<img src="${escapeHtml(href)}" alt="">`;
    const inner =
      words === undefined
        ? escapeHtml(to)
        : images.test(words) && /^(?:file:|https?:|\.)/.test(words)
          ? `<img src="${escapeHtml(words.replace(/^file:/, ''))}" alt="">`
          : this.render(words);
    // A name without an address or an ending is one within this document.
    const isTarget = !/[/.:#]/.test(href);
    return `<a href="${escapeHtml(isTarget ? `#${anchorOf(href)}` : href)}">${inner}</a>`;
  }
}

const anchorOf = (title: string): string =>
  title
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s+/g, '-');

/** `\(a\)` and `\[a\]`; two backslashes at the end of a line break it. */
function formula(text: string, at: number): Span | undefined {
  const near = text.slice(at, at + maxSpan);
  const inline = /^\\\((.+?)\\\)/s.exec(near);
  const block = inline ? null : /^\\\[(.+?)\\\]/s.exec(near);
  const match = inline ?? block;
  if (!match) return /^\\\\[ \t]*(?:\n|$)/.test(near) ? { html: '<br>', end: at + 2 } : undefined;
  const display = block ? ' math-display' : '';
  return { html: `<code class="language-math${display}">${escapeHtml(match[1]!)}</code>`, end: at + match[0].length };
}

/** `$a$`, where no money is meant. */
function dollars(text: string, at: number): Span | undefined {
  const match = /^\$([^\s$](?:[^$]{0,500}[^\s$])?)\$(?![\w$])/.exec(text.slice(at, at + 510));
  if (!match || /[\w$]/.test(text[at - 1] ?? '')) return undefined;
  return { html: `<code class="language-math">${escapeHtml(match[1]!)}</code>`, end: at + match[0].length };
}

/** `H_{2}O`, `x^{2}`; other text as it is. */
function plainText(text: string): string {
  return escapeHtml(text)
    .replace(/(\S)_\{([^{}\n]{1,100})\}/g, '$1<sub>$2</sub>')
    .replace(/(\S)\^\{([^{}\n]{1,100})\}/g, '$1<sup>$2</sup>');
}
