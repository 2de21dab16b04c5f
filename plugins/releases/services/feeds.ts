/** RSS 2.0 and Atom (RFC 4287). */
export interface FeedEntry {
  readonly title: string;
  readonly link: string;
  /** Milliseconds since 1970 UTC. */
  readonly time: number;
  readonly author: string;
  /** Safe HTML. */
  readonly html: string;
}

export interface Feed {
  readonly title: string;
  readonly description: string;
  /** The page. */
  readonly link: string;
  /** The feed itself. */
  readonly self: string;
  readonly entries: readonly FeedEntry[];
}

export type FeedForm = 'rss' | 'atom';
export const feedType: Readonly<Record<FeedForm, string>> = {
  rss: 'application/rss+xml; charset=utf-8',
  atom: 'application/atom+xml; charset=utf-8',
};

const signs: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Signs that XML 1.0 cannot hold are left out. */
const impossible =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const text = (value: string) => value.replace(impossible, '').replace(/[&<>"]/g, (sign) => signs[sign]!);

const rssEntry = ({ title, link, time, author, html }: FeedEntry) => `
    <item>
      <title>${text(title)}</title>
      <link>${text(link)}</link>
      <guid isPermaLink="false">${text(`${link} ${time}`)}</guid>
      <pubDate>${new Date(time).toUTCString()}</pubDate>
      <dc:creator>${text(author)}</dc:creator>
      <description>${text(html)}</description>
    </item>`;

const atomEntry = ({ title, link, time, author, html }: FeedEntry) => `
  <entry>
    <title>${text(title)}</title>
    <id>${text(link)}</id>
    <link href="${text(link)}"/>
    <updated>${new Date(time).toISOString()}</updated>
    <author><name>${text(author)}</name></author>
    <content type="html">${text(html)}</content>
  </entry>`;

export function writeFeed(form: FeedForm, { title, description, link, self, entries }: Feed): string {
  const newest = Math.max(0, ...entries.map((entry) => entry.time));
  if (form === 'atom')
    return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <title>${text(title)}</title>
  <subtitle>${text(description)}</subtitle>
  <id>${text(link)}</id>
  <link rel="alternate" href="${text(link)}"/>
  <link rel="self" href="${text(self)}"/>
  <updated>${new Date(newest).toISOString()}</updated>${entries.map(atomEntry).join('')}
</feed>
`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:dc="http://purl.org/dc/elements/1.1/">
  <channel>
    <title>${text(title)}</title>
    <link>${text(link)}</link>
    <description>${text(description)}</description>
    <atom:link rel="self" href="${text(self)}"/>
    <pubDate>${new Date(newest).toUTCString()}</pubDate>${entries.map(rssEntry).join('')}
  </channel>
</rss>
`;
}
