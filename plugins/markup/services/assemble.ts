import { escapeHtml } from '../contract/escape.js';
import type { RenderedText } from '../worker/tasks.js';
import type { ReferenceLink } from '../contract/markup.js';

interface PageContext {
  readonly linkBase?: string;
  readonly imageBase?: string;
  /** Of the site, without trailing slashes. */
  readonly basePath: string;
  readonly rootUrl: string;
  /** `owner/name` of the repository that the text stands in. */
  readonly repository?: string;
  /** Of the reference with that number. */
  readonly link: (reference: number) => ReferenceLink | undefined;
  /** A whole address, or a path below the host. */
  readonly address: (href: string) => string;
  /** As in `MarkupContext`. */
  readonly page?: string;
  readonly idScope?: string;
}

/** A rendered text for one page and one reader. */
export const assemble = (text: RenderedText, context: PageContext): string =>
  withAnchors(fillSlots(text, context), context);

/** Ids of the text, and the links to them. What stands between tags is never touched. */
function withAnchors(html: string, { page = '', idScope = '' }: PageContext): string {
  if (!page && !idScope) return html;
  if (!html.includes('="user-content-') && !html.includes(' href="#')) return html;
  const prefix = idScope ? `user-content-${idScope}-` : 'user-content-';
  return html.replace(/<[a-z][^<>]*>/g, (tag) =>
    tag
      .replace(/ (id|name)="user-content-/g, ` $1="${prefix}`)
      .replace(/ href="#(user-content-)?/, (_, own) => ` href="${escapeHtml(page)}#${own ? prefix : ''}`),
  );
}

function fillSlots({ html, references }: RenderedText, context: PageContext): string {
  if (!html.includes('\0')) return html;
  let links: Base | undefined;
  let images: Base | undefined;
  const parts = html.split('\0');
  for (let index = 1; index < parts.length; index += 2) {
    const slot = parts[index]!;
    const value = slot.slice(1);
    if (slot[0] === 'R') {
      const number = Number(value);
      parts[index] = anchor(references[number]!.text, context.link(number), context.address);
    } else if (slot[0] === 'U') parts[index] = shortLabel(value, context);
    else {
      const colon = value.indexOf(':');
      const base =
        slot[0] === 'M'
          ? (images ??= new Base(context.imageBase, context.basePath))
          : (links ??= new Base(context.linkBase, context.basePath));
      parts[index] = base.address(Number(value.slice(0, colon)), value.slice(colon + 1));
    }
  }
  return parts.join('');
}

/** `https://…/ada/wheel/issues/3` is shown as `#3` in that repository, elsewhere as `ada/wheel#3`. */
function shortLabel(url: string, { rootUrl, repository }: PageContext): string {
  const [, owner, name, kind, value = '', hash] =
    /^\/([^/]+)\/([^/]+)\/(\w+)\/([^#]+)(#.*)?$/.exec(url.slice(rootUrl.length)) ?? [];
  if (!kind) return url;
  const fullName = `${owner}/${name}`;
  const inside = fullName.toLowerCase() === repository?.toLowerCase() ? '' : fullName;
  const more = hash ? ` (${/comment/.test(hash) ? 'comment' : hash.slice(1)})` : '';
  if (kind === 'issues') return `${inside}#${value}${more}`;
  if (kind === 'pulls') return `${inside}!${value}${more}`;
  const at = inside && `${inside}@`;
  const short = value.replace(/\b([0-9a-f]{10})[0-9a-f]{30,54}\b/g, '$1');
  return `<code>${at}${short}</code>${more}`;
}

function anchor(text: string, link: ReferenceLink | undefined, address: PageContext['address']): string {
  if (!link) return escapeHtml(text);
  const label = escapeHtml(link.label ?? text);
  const title = link.title ? ` title="${escapeHtml(link.title)}"` : '';
  return `<a href="${escapeHtml(address(link.href))}"${title}>${link.isCode ? `<code>${label}</code>` : label}</a>`;
}

/** `/ada/wheel/src/branch/main/docs` → `/ada/wheel/src/branch/main`. */
const repositoryRoot = (base: string) =>
  /^(.*?\/(?:src|raw|media)\/(?:branch|tag|commit)\/[^/]+)/.exec(base)?.[1] ?? base;

const upload = /^attachments\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/;

/** Addresses below a base; `..` never leads above the base's host. All of it is escaped for attributes. */
class Base {
  readonly #base: string | undefined;
  readonly #above: string[] = [];

  constructor(
    base: string | undefined,
    private readonly basePath: string,
  ) {
    this.#base = base === undefined ? undefined : escapeHtml(base.replace(/\/+$/, ''));
  }

  address(up: number, rest: string): string {
    const base = this.#base;
    // uploads lie below the root of the site, whatever the text stands in
    if (up < 0 && upload.test(rest)) return `${this.basePath}/${rest}`;
    if (up < 0) return `${base === undefined ? this.basePath : repositoryRoot(base)}/${rest}`;
    // A colon in the first segment would make a scheme of it.
    if (base === undefined)
      return up > 0 ? '../'.repeat(Math.min(up, 64)) + rest : /^[^/?#]*:/.test(rest) ? `./${rest}` : rest;
    return `${this.#cut(base, up)}/${rest}`;
  }

  /** The base without its last segments. */
  #cut(base: string, up: number): string {
    if (this.#above.length === 0) this.#above.push(base);
    const host = /^[a-z]+:\/\/[^/]*/i.exec(base)?.[0].length ?? 0;
    while (this.#above.length <= up) {
      const last = this.#above.at(-1)!;
      const slash = last.lastIndexOf('/');
      if (slash < host) return last;
      this.#above.push(last.slice(0, slash));
    }
    return this.#above[up]!;
  }
}
