import type MarkdownIt from 'markdown-it';
import type { Attributes, IOptions } from 'sanitize-html';
import type { MarkupContext, MarkupReference } from '../api.js';

/** `- [x] done` becomes a ticked box. */
export function taskLists(parser: MarkdownIt): void {
  parser.core.ruler.after('inline', 'task-lists', (state) => {
    const { tokens } = state;
    for (let at = 2; at < tokens.length; at++) {
      const token = tokens[at]!;
      if (
        token.type !== 'inline' ||
        tokens[at - 1]!.type !== 'paragraph_open' ||
        tokens[at - 2]!.type !== 'list_item_open'
      )
        continue;
      const first = token.children?.[0];
      const box = first?.type === 'text' ? /^\[([ xX])\]\s/.exec(first.content) : null;
      if (!box || !first) continue;
      first.content = first.content.slice(box[0].length);
      const input = new state.Token('html_inline', '', 0);
      input.content = `<input type="checkbox" disabled${box[1] === ' ' ? '' : ' checked'}>`;
      token.children!.unshift(input);
      tokens[at - 2]!.attrJoin('class', 'task-list-item');
    }
  });
}

/** Headings get an id made of their words; `user-content-` keeps them apart from the page's own. */
export function headingAnchors(parser: MarkdownIt): void {
  parser.core.ruler.push('heading-anchors', (state) => {
    const seen = new Map<string, number>();
    state.tokens.forEach((token, at) => {
      if (token.type !== 'heading_open') return;
      const text = (state.tokens[at + 1]?.children ?? [])
        .map((child) => (['text', 'code_inline'].includes(child.type) ? child.content : ''))
        .join('');
      const base = text
        .trim()
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s+/g, '-');
      const count = seen.get(base) ?? 0;
      seen.set(base, count + 1);
      token.attrSet('id', `user-content-${base}${count ? `-${count}` : ''}`);
    });
  });
}

const absolute = /^(?:[a-z][a-z0-9+.-]*:|\/\/|#)/i;

/** Files whose headings were given ids by {@link headingAnchors}. */
const rendered = /\.(?:md|markdown|mdown|mkd|livemd)$/i;

/** `#setup` names the heading of that name, whose id has a prefix. */
const toHeading = (hash: string): string =>
  hash.length < 2 || hash.startsWith('#user-content-') ? hash : `#user-content-${hash.slice(1)}`;

/** Relative addresses lead into the repository; `..` never leads above its base's host. */
function resolve(address: string, base: string | undefined, basePath: string): string {
  if (!address || absolute.test(address)) return address.startsWith('#') ? toHeading(address) : address;
  const [path = '', hash] = address.split(/(?=#)/);
  if (hash && rendered.test(path)) address = path + toHeading(hash);
  if (address.startsWith('/')) return base ? `${repositoryRoot(base)}${address}` : `${basePath}${address}`;
  if (!base) return address;
  try {
    const isWhole = /^https?:/.test(base);
    const url = new URL(address, `${isWhole ? '' : 'http://host'}${base.endsWith('/') ? base : `${base}/`}`);
    return isWhole ? url.href : `${url.pathname}${url.search}${url.hash}`;
  } catch {
    return '#';
  }
}

/** `/ada/wheel/src/branch/main/docs` → `/ada/wheel/src/branch/main`. */
const repositoryRoot = (base: string) =>
  /^(.*?\/(?:src|raw|media)\/(?:branch|tag|commit)\/[^/]+)/.exec(base)?.[1] ?? base;

const schemes = ['http', 'https', 'mailto', 'ssh', 'git', 'ftp', 'tel', 'irc', 'xmpp'];
/** Browsers skip control characters and blanks inside a scheme, so they are skipped here too. */
const isSafe = (address: string): boolean => {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(address.replace(/[\u0000-\u0020]+/g, ''))?.[1];
  return scheme === undefined || schemes.includes(scheme.toLowerCase());
};

/** What user content may hold; everything else is dropped, scripts with their content. */
export function sanitizeOptions(context: MarkupContext, basePath: string): IOptions {
  return {
    allowedTags: [
      'a',
      'abbr',
      'b',
      'blockquote',
      'br',
      'caption',
      'center',
      'code',
      'dd',
      'del',
      'details',
      'dfn',
      'div',
      'dl',
      'dt',
      'em',
      'figcaption',
      'figure',
      'h1',
      'h2',
      'h3',
      'h4',
      'h5',
      'h6',
      'hr',
      'i',
      'img',
      'input',
      'ins',
      'kbd',
      'li',
      'mark',
      'ol',
      'p',
      'picture',
      'pre',
      'q',
      's',
      'samp',
      'section',
      'small',
      'source',
      'span',
      'strike',
      'strong',
      'sub',
      'summary',
      'sup',
      'table',
      'tbody',
      'td',
      'tfoot',
      'th',
      'thead',
      'tr',
      'tt',
      'ul',
      'var',
      'video',
    ],
    allowedAttributes: {
      '*': ['id', 'align', 'title', 'dir', 'lang', 'class'],
      a: ['href', 'name', 'rel'],
      img: ['src', 'alt', 'width', 'height', 'loading'],
      source: ['srcset', 'media', 'type'],
      video: ['src', 'controls', 'muted', 'poster', 'width', 'height'],
      input: ['type', 'checked', 'disabled'],
      ol: ['start'],
      details: ['open'],
      td: ['colspan', 'rowspan', 'align', 'style'],
      th: ['colspan', 'rowspan', 'align', 'style'],
    },
    allowedClasses: {
      code: ['language-*'],
      span: ['hljs-*', 'title_', 'function_', 'class_', 'inherited__', 'invoke__', 'constant_', 'language_'],
      li: ['task-list-item'],
      '*': ['task-list-item'],
    },
    allowedStyles: { '*': { 'text-align': [/^(left|right|center)$/] } },
    allowedSchemes: schemes,
    allowedSchemesByTag: { img: ['http', 'https', 'data'] },
    disallowedTagsMode: 'discard',
    exclusiveFilter: (frame) => frame.tag === 'input' && frame.attribs.type !== 'checkbox',
    transformTags: {
      '*': (tagName: string, attribs: Attributes) => {
        if (attribs.id && !attribs.id.startsWith('user-content-'))
          attribs = { ...attribs, id: `user-content-${attribs.id}` };
        return { tagName, attribs };
      },
      a: (tagName: string, attribs: Attributes) => {
        const href = attribs.href === undefined ? undefined : resolve(attribs.href.trim(), context.linkBase, basePath);
        // A link that may lead nowhere is left as its text. The new tag must be an allowed one: the sanitizer would
        // close some later element by the name of one that it drops.
        if (href !== undefined && !isSafe(href)) return { tagName: 'span', attribs: {} };
        return { tagName, attribs: { ...attribs, ...(href !== undefined && { href, rel: 'nofollow' }) } };
      },
      img: (tagName: string, attribs: Attributes) => ({
        tagName,
        attribs: {
          ...attribs,
          loading: 'lazy',
          ...(attribs.src !== undefined && { src: resolve(attribs.src.trim(), context.imageBase, basePath) }),
        },
      }),
      input: (tagName: string, attribs: Attributes) => ({
        tagName,
        attribs: { type: attribs.type ?? '', disabled: '', ...(attribs.checked !== undefined && { checked: '' }) },
      }),
    },
  };
}

/** Links words of the text, outside of links and code. */
export function markReferences(
  html: string,
  references: readonly MarkupReference[],
  context: MarkupContext,
  path: (path: string) => string,
): string {
  if (references.length === 0) return html;
  let quiet = 0;
  return html.replace(/(<[^>]+>)|([^<]+)/g, (whole, tag: string | undefined, text: string | undefined) => {
    if (tag) {
      if (/^<(a|code|pre)\b/i.test(tag)) quiet++;
      else if (/^<\/(a|code|pre)>/i.test(tag)) quiet--;
      return tag;
    }
    if (quiet > 0 || !text) return whole;
    // Each reference sees only what the ones before left as text.
    let parts: { text: string; done: boolean }[] = [{ text, done: false }];
    for (const reference of references) {
      parts = parts.flatMap((part) => {
        if (part.done) return [part];
        const out: { text: string; done: boolean }[] = [];
        let last = 0;
        for (const match of part.text.matchAll(reference.pattern)) {
          const to = reference.link(match, context);
          if (to === undefined) continue;
          out.push(
            { text: part.text.slice(last, match.index), done: false },
            { text: `<a href="${path(to)}">${match[0]}</a>`, done: true },
          );
          last = match.index + match[0].length;
        }
        out.push({ text: part.text.slice(last), done: false });
        return out;
      });
    }
    return parts.map((part) => part.text).join('');
  });
}
