import { createHash } from 'node:crypto';
import { reply, type Reply } from './reply.js';

/** RSS 2.0 and Atom (RFC 4287), for every plugin that has something new to tell. */
export type FeedForm = 'rss' | 'atom';

export interface FeedEntry {
  /** Tells entries apart, for ever. */
  readonly id: string;
  readonly title: string;
  readonly link: string;
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  readonly author: string;
  /** Safe HTML; of plain text {@link preformatted} makes it. */
  readonly html: string;
}

interface Feed {
  readonly title: string;
  /** The page that the feed is about. */
  readonly page: string;
  /** The feed's own address. */
  readonly self: string;
  readonly entries: readonly FeedEntry[];
}

/** XML 1.0 has no place for these, not even escaped. */
const impossible = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu;
const named: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Plain text as it stands in HTML and XML. */
export const escapeMarkup = (text: string): string =>
  text.replace(impossible, '').replace(/[&<>"]/g, (sign) => named[sign]!);

const element = (name: string, text: string, attributes = '') =>
  `<${name}${attributes}>${escapeMarkup(text)}</${name}>`;

/** Plain text as HTML that shows it with its line breaks. */
export const preformatted = (text: string): string => `<pre>${escapeMarkup(text)}</pre>`;

/** Clocks of authors may say anything. */
const date = (at: number) => new Date(Number.isFinite(at) && Math.abs(at) < 8.64e15 ? at : 0);

const rssItem = (entry: FeedEntry) =>
  [
    '<item>',
    element('title', entry.title),
    element('link', entry.link),
    element('guid', entry.id, ' isPermaLink="false"'),
    element('dc:creator', entry.author),
    element('pubDate', date(entry.at).toUTCString()),
    element('description', entry.html),
    '</item>',
  ].join('');

const atomEntry = (entry: FeedEntry) =>
  [
    '<entry>',
    element('id', entry.id),
    element('title', entry.title),
    `<link href="${escapeMarkup(entry.link)}"/>`,
    `<author>${element('name', entry.author)}</author>`,
    element('updated', date(entry.at).toISOString()),
    element('content', entry.html, ' type="html"'),
    '</entry>',
  ].join('');

function writeFeed(form: FeedForm, feed: Feed): string {
  const changed = date(Math.max(0, ...feed.entries.map((entry) => entry.at)));
  const parts =
    form === 'rss'
      ? [
          '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/">',
          '<channel>',
          element('title', feed.title),
          element('link', feed.page),
          element('description', feed.title),
          `<atom:link rel="self" href="${escapeMarkup(feed.self)}"/>`,
          element('lastBuildDate', changed.toUTCString()),
          ...feed.entries.map(rssItem),
          '</channel>',
          '</rss>',
        ]
      : [
          '<feed xmlns="http://www.w3.org/2005/Atom">',
          element('id', feed.self),
          element('title', feed.title),
          `<link rel="alternate" href="${escapeMarkup(feed.page)}"/>`,
          `<link rel="self" href="${escapeMarkup(feed.self)}"/>`,
          element('updated', changed.toISOString()),
          ...feed.entries.map(atomEntry),
          '</feed>',
        ];
  return `<?xml version="1.0" encoding="UTF-8"?>\n${parts.join('\n')}\n`;
}

/** The feed as an answer, with a tag by which readers ask whether anything is new. */
export function feedReply(form: FeedForm, feed: Feed): Reply {
  const text = writeFeed(form, feed);
  return reply
    .bytes(Buffer.from(text), `application/${form}+xml; charset=utf-8`)
    .tag(createHash('sha1').update(text).digest('hex'));
}
