import type { ChatCommit, ChatLine, ChatPart } from './types.js';

/** How a receiver writes text and links; both are given plain text, addresses as they stand in the payload. */
export interface ChatStyle {
  text(plain: string): string;
  link(plain: string, url: string): string;
}

/** Names and subjects stand within a line: nothing in them ends it or turns its direction. */
const oneLine = (plain: string): string =>
  plain.replace(/[\u202a-\u202e\u2066-\u2069]/g, '').replace(/[\s\p{Cc}]+/gu, ' ');

const percentEncoded = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');

/**
 * An address as it may stand within the brackets of any style. Payloads hold addresses that are encoded already: only
 * what RFC 3986 does not allow is encoded here, and what would end the brackets.
 */
export const writeAddress = (url: string): string =>
  url.replace(/%(?![0-9a-f]{2})|[^\w\-.~:/?#[\]@!$&+,;=%]/giu, percentEncoded);

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const writeHtml = (plain: string): string => oneLine(plain).replace(/[&<>"]/g, (one) => entities[one]!);
/** Brackets alone are no link; `](` is the middle of one. */
const writeMarkdown = (plain: string): string => oneLine(plain).replace(/[\\`*_<>~|]|\](?=[([:])/g, '\\$&');
/** Within the brackets of a link all others are escaped. */
const writeLabel = (plain: string): string => oneLine(plain).replace(/[\\`*_[\]<>~|]/g, '\\$&');
/** https://docs.slack.dev/messaging/formatting-message-text#escaping names these three. */
const writeMrkdwn = (plain: string): string => oneLine(plain).replace(/[&<>]/g, (one) => entities[one]!);

const zeroWidth = '\u200b';
/** Breaks links, tags, mentions and emphasis with characters of no width: for receivers that know no way to escape them. */
const breakMarkup = (text: string): string =>
  text.replace(/\](?=\()|<(?=[a-z/@!])|\*(?=\*)|~(?=~)|`(?=`)/gi, `$&${zeroWidth}`);

export const chatStyles = {
  plain: { text: oneLine, link: oneLine },
  /** Text that is shown as it is, in places that read some markup all the same. */
  inert: { text: (plain) => breakMarkup(oneLine(plain)), link: (plain) => breakMarkup(oneLine(plain)) },
  html: {
    text: writeHtml,
    link: (plain, url) => `<a href="${writeAddress(url).replaceAll('&', '&amp;')}">${writeHtml(plain)}</a>`,
  },
  markdown: { text: writeMarkdown, link: (plain, url) => `[${writeLabel(plain)}](${writeAddress(url)})` },
  slack: { text: writeMrkdwn, link: (plain, url) => `<${writeAddress(url)}|${writeMrkdwn(plain)}>` },
} as const satisfies Readonly<Record<string, ChatStyle>>;

/** The same style without links. */
export const withoutLinks = (style: ChatStyle): ChatStyle => ({ text: style.text, link: style.text });

/** User-written Markdown, line by line, for receivers whose own markup mentions users. */
export const withoutMentions = (markdown: string): string => markdown.replace(/<(?=@|\/?at\b|!)/gi, `<${zeroWidth}`);

/** What somebody wrote, with its lines, where no markup is wanted. */
export const inertText = (text: string): string => breakMarkup(text);

const isWebAddress = (url: string): boolean => /^https?:\/\//i.test(url);

const writePart = (part: ChatPart, style: ChatStyle): string => {
  if (typeof part === 'string') return style.text(part);
  return isWebAddress(part.url) ? style.link(part.text, part.url) : style.text(part.text);
};

/** A line in the way of a receiver. */
export const writeLine = (line: ChatLine | ChatPart, style: ChatStyle): string =>
  (Array.isArray(line) ? line : [line as ChatPart]).map((part: ChatPart) => writePart(part, style)).join('');

/** A summary that is longer is cut, so that no line of a commit ends within its link. */
const maxSummaryBytes = 400;

/** Commits, a line each: `3f78685 Add a note - Ada`, the id a link. */
export const writeCommits = (commits: readonly ChatCommit[], style: ChatStyle): string[] =>
  commits.map(({ shortId, url, summary, author }) => {
    const text = `${cutText(summary, maxSummaryBytes)} - ${cutText(author, maxSummaryBytes)}`;
    return `${writePart({ text: shortId, url }, style)} ${style.text(text)}`;
  });

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
