/** What a wiki adds to rendered Markdown: links between pages and anchors in other pages. */
import { escapeHtml, headingAnchor, unescapeHtml } from '@mortise/markup/api';
import { encodePath, nameOfTitle } from './page-names.js';

const imageEnding = /\.(png|jpe?g|gif|webp|svg|avif|bmp)$/i;
const shortLink = /\[\[([^[\]|]{1,500})(?:\|([^[\]]{1,500}))?\]\]/g;
/** More links than that on one page are not looked up. */
const maxLinks = 300;

interface LinkContext {
  /** `/owner/name/wiki` below the host. */
  readonly wiki: string;
  /** The name of an existing page in addresses; undefined: there is none. */
  find(name: string): Promise<string | undefined>;
}

/** Rendered and sanitized HTML goes in, and comes out with `[[Page]]` and `[[text|Page]]` as links. */
export async function linkPages<H extends string>(html: H, context: LinkContext): Promise<H> {
  const known = new Map<string, string | undefined>();
  for (const [, first, second] of html.matchAll(shortLink)) {
    const target = nameOf(second ?? first!);
    if (target && !known.has(target) && known.size < maxLinks) known.set(target, await context.find(target));
  }
  let quiet = 0;
  return html.replace(/(<[^>]+>)|([^<]+)/g, (whole, tag: string | undefined, text: string | undefined) => {
    if (tag) {
      if (/^<(a|code|pre)\b/i.test(tag)) quiet++;
      else if (/^<\/(a|code|pre)>/i.test(tag)) quiet = Math.max(0, quiet - 1);
      return tag.startsWith('<a ') ? withAnchor(tag, context.wiki) : tag;
    }
    if (quiet || !text) return whole;
    return text.replace(shortLink, (_match, first: string, second?: string) =>
      oneLink(first, second ?? first, context.wiki, known),
    );
  }) as H;
}

/** The page that a short link names, without its anchor; undefined for links that leave the wiki. */
function nameOf(target: string): string | undefined {
  const plain = unescapeHtml(target).trim();
  if (/^(https?:)?\/\//i.test(plain) || imageEnding.test(plain)) return undefined;
  return nameOfTitle(plain.split('#', 1)[0]!) || undefined;
}

function oneLink(words: string, target: string, wiki: string, known: ReadonlyMap<string, string | undefined>): string {
  const plain = unescapeHtml(target).trim();
  if (/^https?:\/\//i.test(plain)) return `<a href="${escapeHtml(plain)}" rel="nofollow">${words}</a>`;
  if (imageEnding.test(plain)) {
    const source = `${wiki}/raw/${encodePath(plain.replace(/^\/+/, ''))}`;
    return `<img src="${escapeHtml(source)}" alt="${escapeHtml(unescapeHtml(words))}" loading="lazy">`;
  }
  const [, anchor] = plain.split(/#(.*)/s);
  const name = nameOf(target);
  if (!name) return anchor ? `<a href="#${escapeHtml(encodeURIComponent(headingAnchor(anchor)))}">${words}</a>` : words;
  const there = known.get(name);
  const href = `${wiki}/${there ?? name}${anchor ? `#${encodeURIComponent(headingAnchor(anchor))}` : ''}`;
  const missing = there ? '' : ' class="wiki-missing" title="This page does not exist yet"';
  return `<a href="${escapeHtml(href)}"${missing}>${words}</a>`;
}

/** Headings of other pages have the same prefix as those of this one. */
const withAnchor = (tag: string, wiki: string): string =>
  tag.replace(/ href="([^"#]*)#(?!user-content-)([^"]+)"/, (whole, address: string, anchor: string) =>
    address.startsWith(`${escapeHtml(wiki)}/`) ? ` href="${address}#user-content-${anchor}"` : whole,
  );
