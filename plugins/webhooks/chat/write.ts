import type { ChatCommit, ChatLine, ChatPart } from './types.js';

/** How a receiver writes text and links; both are given plain text. */
export interface ChatStyle {
  text(plain: string): string;
  link(plain: string, url: string): string;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (one) => entities[one]!);
const escapeMarkdown = (text: string): string => text.replace(/[\\`*_[\]<>~|]/g, '\\$&');
/** An address must not end the brackets that it stands in. */
const linkable = (url: string): string =>
  url.replace(/[\s()<>|"\\]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

export const chatStyles = {
  plain: { text: (plain) => plain, link: (plain) => plain },
  html: {
    text: escapeHtml,
    link: (plain, url) => `<a href="${escapeHtml(linkable(url))}">${escapeHtml(plain)}</a>`,
  },
  markdown: { text: escapeMarkdown, link: (plain, url) => `[${escapeMarkdown(plain)}](${linkable(url)})` },
} as const satisfies Readonly<Record<string, ChatStyle>>;

const writePart = (part: ChatPart, style: ChatStyle): string =>
  typeof part === 'string' ? style.text(part) : part.url ? style.link(part.text, part.url) : style.text(part.text);

/** A line in the way of a receiver. */
export const writeLine = (line: ChatLine | ChatPart, style: ChatStyle): string =>
  (Array.isArray(line) ? line : [line as ChatPart]).map((part: ChatPart) => writePart(part, style)).join('');

/** Commits, a line each: `3f78685 Add a note - Ada`, the id a link. */
export const writeCommits = (commits: readonly ChatCommit[], style: ChatStyle): string[] =>
  commits.map(
    ({ shortId, url, summary, author }) => `${style.link(shortId, url)} ${style.text(`${summary} - ${author}`)}`,
  );

/** The text cut to a number of bytes of UTF-8, never inside a character; `…` stands for what is missing. */
export function cutText(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const end = '…';
  let bytes = Buffer.byteLength(end);
  let kept = '';
  for (const { segment } of new Intl.Segmenter().segment(text.slice(0, maxBytes))) {
    bytes += Buffer.byteLength(segment);
    if (bytes > maxBytes) break;
    kept += segment;
  }
  return kept + end;
}

/** Lines that fit into a number of bytes together; what is left out is counted in a last line. */
export function cutLines(lines: readonly string[], maxBytes: number): string {
  const all = lines.join('\n');
  if (Buffer.byteLength(all) <= maxBytes) return all;
  const room = maxBytes - 32;
  const kept: string[] = [];
  let bytes = 0;
  for (const line of lines) {
    bytes += Buffer.byteLength(line) + 1;
    if (bytes > room) break;
    kept.push(line);
  }
  return kept.length ? [...kept, `… ${lines.length - kept.length} more`].join('\n') : cutText(lines[0] ?? '', maxBytes);
}
