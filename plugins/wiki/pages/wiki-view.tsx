import { Fragment, type ComponentChildren, type VNode } from 'preact';
import {
  CopyButton,
  NotFound,
  icon,
  type Actor,
  type PageOptions,
  type PointReader,
  type Site,
  type WebPage,
} from '@mortise/plugin-sdk';
import type { RouteContext } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import { decodeText } from '@mortise/git/api';
import { markupIslands, type Markup, type SafeHtml } from '@mortise/markup/api';
import type { Repositories, RepositoryContext, RepositoryPages } from '@mortise/repositories/api';
import type { WikiEntry } from '../contract/wiki.js';
import { encodePath, isShadowed } from '../services/page-names.js';
import { linkPages } from '../services/links.js';
import type { DeletedPageFinder } from '../services/deleted-pages.js';
import type { WikiReader } from '../services/wiki-reader.js';
import type { WikiWriter } from '../services/wiki-writer.js';
import { t } from '../texts/index.js';

export interface PageDeps {
  readonly reader: WikiReader;
  readonly writer: WikiWriter;
  readonly deletedPages: DeletedPageFinder;
  readonly repositories: Repositories;
  readonly accounts: Accounts;
  readonly markup: Markup;
  readonly pages: RepositoryPages;
  readonly site: Site;
  readonly ssh: PointReader<{ address(path: string): string }>;
}

type Context = RouteContext<RepositoryContext>;
type Form = Readonly<Record<string, string | undefined>>;

/** Longer texts are neither rendered nor edited in the browser. */
export const maxShown = 1 << 20;

/** One request for a page of the wiki: where it is, and what its visitor may. */
export class WikiView {
  readonly id: number;
  /** `/owner/name/wiki` below the host. */
  readonly wiki: string;
  readonly mayWrite: boolean;

  constructor(
    readonly services: PageDeps,
    readonly context: Context,
  ) {
    const { repository } = context.resource;
    this.id = repository.id;
    this.wiki = services.site.path(`/${repository.ownerName}/${repository.name}/wiki`);
    this.mayWrite = context.actor.kind === 'user' && context.resource.may('write', 'wiki') && !repository.isArchived;
  }

  get actor(): Actor {
    return this.context.actor;
  }

  get query(): Form {
    return this.context.query as Form;
  }

  /** Address of a page; with an action for the pages around it. */
  href(name: string, query: Readonly<Record<string, string>> = {}): string {
    const more = new URLSearchParams(query).toString();
    return `${this.wiki}/${isShadowed(name) ? `${name}.md` : name}${more ? `?${more}` : ''}`;
  }

  rawHref(path: string): string {
    return `${this.wiki}/raw/${encodePath(path)}`;
  }

  page(options: Omit<PageOptions, 'active'>): WebPage {
    const { context } = this;
    return this.services.pages.page({ context: context.resource, actor: context.actor }, 'wiki', {
      ...options,
      islands: [...markupIslands, 'wiki', ...(options.islands ?? [])],
    });
  }

  /** Markdown of a page as safe HTML; relative addresses lead on from the page's folder. */
  async render(text: string, path: string): Promise<SafeHtml> {
    const { repository } = this.context.resource;
    const folder = path.includes('/') ? `/${encodePath(path.slice(0, path.lastIndexOf('/')))}` : '';
    const beside = /(?:^|\/)_(sidebar|footer)\b/i.exec(path)?.[1];
    const html = await this.services.markup.render(text, {
      kind: 'wiki',
      viewer: this.context,
      linkBase: `${this.wiki}${folder}`,
      imageBase: `${this.wiki}/raw${folder}`,
      repository: `${repository.ownerName}/${repository.name}`,
      // these stand beside another page
      ...(beside && { idScope: beside.toLowerCase() }),
    });
    return linkPages(html, {
      wiki: this.wiki,
      find: async (name) => (await this.services.reader.find(this.id, name))?.name,
    });
  }

  /** Rendered text of an entry; undefined when it is too long for that. */
  async rendered(entry: WikiEntry): Promise<SafeHtml | undefined> {
    const size = (await this.services.reader.open(this.id).info(entry.oid))?.size ?? 0;
    if (size > maxShown) return undefined;
    return this.render(decodeText(await this.services.reader.text(this.id, entry)).text, entry.path);
  }

  /** A whole object id of a commit that a visitor named; NotFound for anything else. */
  async commitOf(oid: string | undefined): Promise<string | undefined> {
    if (!oid) return undefined;
    const git = this.services.reader.open(this.id);
    if (!/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(oid) || (await git.info(oid))?.type !== 'commit')
      throw NotFound(t.later('error.noVersion'));
    return oid;
  }
}

export function Heading({ title, children }: { title: ComponentChildren; children?: ComponentChildren }): VNode {
  return (
    <div class="d-flex flex-wrap flex-items-center mb-3 gap-2">
      <h2 class="f3 flex-auto wb-break-word">{title}</h2>
      {children}
    </div>
  );
}

export function CommitAuthor({ account, name, path }: { account?: Account; name: string; path: Site['path'] }): VNode {
  return account ? (
    <a class="text-bold color-fg-default" href={path(`/${account.name}`)}>
      {account.name}
    </a>
  ) : (
    <span class="text-bold">{name}</span>
  );
}

export function SearchBox({ view, words = '' }: { view: WikiView; words?: string }): VNode {
  return (
    <form action={`${view.wiki}/_pages`} method="get" role="search" class="d-flex mb-2 gap-1">
      <input
        class="form-control input-sm flex-auto min-width-0"
        type="search"
        name="q"
        value={words}
        placeholder={t('search')}
        aria-label={t('search')}
      />
      <button class="btn btn-sm" type="submit" aria-label={t('search.button')}>
        {icon('search')}
      </button>
    </form>
  );
}

interface Folder {
  readonly folders: Map<string, Folder>;
  readonly pages: WikiEntry[];
}

let order: Intl.Collator | undefined;
/** Made at the first use: it costs the start some ms. */
const byTitle = (one: WikiEntry, other: WikiEntry): number =>
  (order ??= new Intl.Collator('en', { numeric: true })).compare(one.title, other.title);
const newFolder = (): Folder => ({ folders: new Map(), pages: [] });

/** Pages below their folders, open along the way to the shown one. */
export function Tree({
  view,
  entries,
  shown,
}: {
  view: WikiView;
  entries: readonly WikiEntry[];
  shown?: string;
}): VNode {
  const root = newFolder();
  for (const entry of entries) {
    let folder = root;
    for (const part of entry.path.split('/').slice(0, -1)) {
      if (!folder.folders.has(part)) folder.folders.set(part, newFolder());
      folder = folder.folders.get(part)!;
    }
    folder.pages.push(entry);
  }
  const list = (folder: Folder, path: string): VNode => (
    <ul class="list-style-none wiki-tree">
      {[...folder.pages].sort(byTitle).map((entry) => (
        <li class="py-1 css-truncate css-truncate-overflow">
          <a
            class={entry.path === shown ? 'text-bold' : ''}
            href={view.href(entry.name)}
            title={entry.title}
            aria-current={entry.path === shown ? 'page' : undefined}
          >
            {path ? entry.title.slice(entry.title.lastIndexOf('/') + 1) || entry.title : entry.title}
          </a>
        </li>
      ))}
      {[...folder.folders].map(([name, inner]) => (
        <li class="py-1">
          <details open={!shown || shown.startsWith(`${path}${name}/`)}>
            <summary>
              {icon('file-directory-fill', { class: 'color-fg-accent' })} {name}
            </summary>
            <div class="pl-3">{list(inner, `${path}${name}/`)}</div>
          </details>
        </li>
      ))}
    </ul>
  );
  return list(root, '');
}

export function CloneBoxes({ view }: { view: WikiView }): VNode {
  const { repository } = view.context.resource;
  const http = view.services.repositories.cloneUrl(repository).replace(/\.git$/, '.wiki.git');
  const ssh = view.services.ssh.list()[0]?.address(`${repository.ownerName}/${repository.name}.wiki`) ?? '';
  return (
    <Fragment>
      {(
        [
          [http.startsWith('https:') ? 'HTTPS' : 'HTTP', http],
          ['SSH', ssh],
        ] as const
      ).map(([kind, address]) =>
        address ? (
          <div class="d-flex mb-2 gap-1">
            <input
              class="form-control input-sm input-monospace flex-auto min-width-0"
              readOnly
              value={address}
              aria-label={t('clone.address', { protocol: kind })}
            />
            <CopyButton text={address} label={t('clone.copy')} />
          </div>
        ) : null,
      )}
    </Fragment>
  );
}
