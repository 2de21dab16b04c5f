import { headingAnchor } from '../../contract/anchor.js';
import type MarkdownIt from 'markdown-it';
import type { StateCore, Token } from 'markdown-it';

/** `- [x] done` becomes a ticked box. The space after it is one of style, as clients know it. */
export function taskLists(parser: MarkdownIt): void {
  parser.core.ruler.after('inline', 'task-lists', ({ tokens, Token }) => {
    const lists: Token[] = [];
    tokens.forEach((token, at) => {
      if (token.type === 'bullet_list_open' || token.type === 'ordered_list_open') lists.push(token);
      else if (token.type === 'bullet_list_close' || token.type === 'ordered_list_close') lists.pop();
      if (
        token.type !== 'inline' ||
        tokens[at - 1]?.type !== 'paragraph_open' ||
        tokens[at - 2]?.type !== 'list_item_open'
      )
        return;
      const first = token.children?.[0];
      const box = first?.type === 'text' ? /^\[([ xX])\]\s/.exec(first.content) : null;
      if (!box || !first) return;
      first.content = first.content.slice(box[0].length);
      const input = new Token('html_inline', '', 0);
      input.content = `<input type="checkbox" disabled${box[1] === ' ' ? '' : ' checked'}>`;
      token.children!.unshift(input);
      tokens[at - 2]!.attrSet('class', 'task-list-item');
      lists.at(-1)?.attrSet('class', 'contains-task-list');
    });
  });
}

/** Headings get an id made of their words; `user-content-` keeps them apart from the page's own. */
export function headingAnchors(parser: MarkdownIt): void {
  // before names of emoji become emoji: `:tada: News` is `tada-news`
  parser.core.ruler.after('inline', 'heading-anchors', ({ tokens }) => {
    const seen = new Map<string, number>();
    tokens.forEach((token, at) => {
      if (token.type === 'heading_open') token.attrSet('id', headingId(textOf(tokens[at + 1]), seen));
    });
  });
}

/** Of a heading with these words; `seen` counts those that were given out. */
export function headingId(text: string, seen: Map<string, number>): string {
  const base = headingAnchor(text);
  let id = base;
  let count = seen.get(base) ?? 0;
  // `a`, `a` and `a-1`: no two are the same
  while (seen.has(id)) id = `${base}-${++count}`;
  seen.set(base, count);
  if (id !== base) seen.set(id, 0);
  return id;
}

const textOf = (token: Token | undefined) =>
  (token?.children ?? [])
    .map((child) =>
      ['text', 'code_inline', 'math_inline'].includes(child.type)
        ? child.content
        : child.type === 'softbreak'
          ? ' '
          : '',
    )
    .join('');

const alertKinds = ['note', 'tip', 'important', 'warning', 'caution'];

/** A quotation that begins with `[!NOTE]` on a line of its own is an alert. */
export function alerts(parser: MarkdownIt): void {
  parser.core.ruler.after('block', 'alerts', (state) => {
    const { tokens } = state;
    for (let at = 0; at < tokens.length - 2; at++) {
      const [quote, paragraph, inline] = [tokens[at]!, tokens[at + 1]!, tokens[at + 2]!];
      if (quote.type !== 'blockquote_open' || paragraph.type !== 'paragraph_open' || inline.type !== 'inline') continue;
      const alertMatch = /^\[!([a-z]+)\][ \t]*(?:\n|$)/i.exec(inline.content);
      const kind = alertMatch?.[1]!.toLowerCase();
      if (!alertMatch || !kind || !alertKinds.includes(kind)) continue;
      quote.tag = 'div';
      quote.attrSet('class', `markdown-alert markdown-alert-${kind}`);
      closing(tokens, at).tag = 'div';
      inline.content = inline.content.slice(alertMatch[0].length);
      const title = titleTokens(state, kind, quote.level + 1);
      // Nothing else in its first paragraph: that goes.
      if (inline.content === '') tokens.splice(at + 1, 3, ...title);
      else tokens.splice(at + 1, 0, ...title);
    }
  });
}

function closing(tokens: readonly Token[], at: number): Token {
  const { level } = tokens[at]!;
  for (let end = at + 1; ; end++) {
    const token = tokens[end]!;
    if (token.type === 'blockquote_close' && token.level === level) return token;
  }
}

function titleTokens({ Token }: StateCore, kind: string, level: number): Token[] {
  const open = new Token('paragraph_open', 'p', 1);
  const inline = new Token('inline', '', 0);
  const close = new Token('paragraph_close', 'p', -1);
  open.attrSet('class', 'markdown-alert-title');
  inline.content = kind[0]!.toUpperCase() + kind.slice(1);
  inline.children = [];
  for (const token of [open, inline, close]) {
    token.block = true;
    token.level = token === inline ? level + 1 : level;
  }
  return [open, inline, close];
}
