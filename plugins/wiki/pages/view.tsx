import { Fragment, type VNode } from 'preact';
import { Ago, icon, type WebPage, withFallback } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { Commit } from '@mortise/git/api';
import { headingsOf, MarkupBody, type SafeHtml } from '@mortise/markup/api';
import type { WikiEntry } from '../contract/wiki.js';
import { t } from '../texts/index.js';
import { deletedPagesHref, RestoreButton, RestoreForm } from './deleted-pages.js';
import { CloneBoxes, Heading, CommitAuthor, SearchBox, Tree, type WikiView } from './wiki-view.js';

/** More pages than that are not listed beside every page. */
const maxSiblings = 60;
/** Milliseconds that a page waits for its last change: a long history is walked through, and known the next time. */
const maxWalkedPages = 500;
/** Shown with every page instead of in the list. */
const asides: readonly string[] = ['_Sidebar', '_Footer'];

interface PageOptions {
  /** As it was at that commit. */
  readonly version?: string;
  /** There is no such page any more. */
  readonly isDeleted?: boolean;
}

/** A page of the wiki with its table of contents, sidebar and footer. */
export async function pageView(
  view: WikiView,
  entry: WikiEntry,
  head: string,
  { version, isDeleted = false }: PageOptions = {},
): Promise<WebPage> {
  const { reader, accounts } = view.services;
  const [body, history, sidebar, footer, all] = await Promise.all([
    view.rendered(entry),
    withFallback(reader.history(view.id, version ?? head, entry.path), undefined, maxWalkedPages),
    aside(view, '_Sidebar', head),
    aside(view, '_Footer', head),
    reader.list(view.id, head, { folders: true, limit: maxSiblings + asides.length }),
  ]);
  const last = history?.commits[0];
  const users = await accounts.byEmails(last ? [last.author.email] : []);
  return view.page({
    title: entry.title,
    body: (
      <Page
        view={view}
        entry={entry}
        head={head}
        version={version}
        isDeleted={isDeleted}
        body={body}
        last={last}
        author={last && users.get(last.author.email.toLowerCase())}
        total={history?.total ?? 0}
        sidebar={sidebar}
        footer={footer}
        all={all}
      />
    ),
  });
}

interface PageProps {
  readonly view: WikiView;
  readonly entry: WikiEntry;
  readonly head: string;
  readonly version: string | undefined;
  readonly isDeleted: boolean;
  /** Undefined: too long to be shown. */
  readonly body: SafeHtml | undefined;
  readonly last: Commit | undefined;
  readonly author: Account | undefined;
  /** Revisions; 0: not known yet. */
  readonly total: number;
  readonly sidebar: SafeHtml | undefined;
  readonly footer: SafeHtml | undefined;
  readonly all: PageListProps['all'];
}

function Page(props: PageProps): VNode {
  const { view, entry, head, version, isDeleted, body, last, author, total, sidebar, footer, all } = props;
  const sections = body ? headingsOf(body) : [];
  return (
    <div>
      <Heading title={entry.title}>
        {view.mayWrite ? (
          <span class="d-flex gap-2">
            {isDeleted ? null : (
              <a class="btn" href={view.href(entry.name, { action: '_edit', ...(version && { version }) })}>
                {icon('pencil')} {version ? t('view.editVersion') : t('view.edit')}
              </a>
            )}
            <a class="btn btn-primary" href={`${view.wiki}/_new`}>
              {icon('plus')} {t('newPage')}
            </a>
          </span>
        ) : null}
      </Heading>
      <p class="color-fg-muted mb-3">
        {last ? (
          <span>
            {t.rich('view.edited', {
              name: <CommitAuthor account={author} name={last.author.name} path={view.services.site.path} />,
              when: <Ago time={last.author.time} />,
            })}{' '}
            ·{' '}
          </span>
        ) : null}
        <a href={view.href(entry.name, { action: '_revision' })}>
          {total ? t('view.revisions', { count: total }) : t('history')}
        </a>
      </p>
      {version && version !== head ? <Older view={view} entry={entry} version={version} isDeleted={isDeleted} /> : null}
      <div class="wiki-columns">
        <div class="wiki-main">
          {body === undefined ? (
            <div class="Box p-3">
              <p class="mb-2">{t('view.tooLong')}</p>
              <a class="btn btn-sm" href={view.rawHref(entry.path)}>
                {icon('download')} {t('view.raw')}
              </a>
            </div>
          ) : (
            <div class="Box p-3 p-md-4">
              {body ? (
                <MarkupBody html={body} outline />
              ) : (
                <p>
                  <em>{t('view.empty')}</em>
                </p>
              )}
            </div>
          )}
          {footer ? <MarkupBody class="Box p-3 mt-3 f6 color-fg-muted" html={footer} /> : null}
        </div>
        <aside class="wiki-beside" aria-label={t('tab')}>
          <Contents sections={sections} />
          {sidebar ? <MarkupBody class="Box p-3 mb-3 f5" html={sidebar} /> : null}
          <PageList view={view} all={all} shown={entry.path} />
          <details>
            <summary class="f5 text-bold mb-2">{t('view.clone')}</summary>
            <CloneBoxes view={view} />
          </details>
        </aside>
      </div>
    </div>
  );
}

interface OlderProps {
  readonly view: WikiView;
  readonly entry: WikiEntry;
  readonly version: string;
  readonly isDeleted: boolean;
}

/** Says that this is not what the wiki has now. */
const Older = ({ view, entry, version, isDeleted }: OlderProps): VNode => (
  <div class="flash flash-warn mb-3 d-flex flex-wrap flex-items-center gap-2">
    {isDeleted ? (
      <Fragment>
        <span class="flex-auto">{t('view.deleted')}</span>
        {view.mayWrite ? <RestoreButton version={version}>{t('view.restore')}</RestoreButton> : null}
        {view.mayWrite ? <RestoreForm view={view} name={entry.name} /> : null}
      </Fragment>
    ) : (
      <span>{t.rich('view.older', { link: (children) => <a href={view.href(entry.name)}>{children}</a> })}</span>
    )}
  </div>
);

async function aside(view: WikiView, name: '_Sidebar' | '_Footer', head: string): Promise<SafeHtml | undefined> {
  const entry = await view.services.reader.aside(view.id, name, head);
  return entry && view.rendered(entry);
}

function Contents({ sections }: { sections: ReturnType<typeof headingsOf> }): VNode | null {
  if (sections.length < 2) return null;
  return (
    <nav class="Box p-3 mb-3" aria-label={t('view.contentsLabel')}>
      <details open>
        <summary class="f5 text-bold">{t('view.contents')}</summary>
        <ul class="list-style-none mt-2 f6 wiki-contents">
          {sections.map((section) => (
            <li class={`wb-break-word wiki-level-${section.level}`}>
              <a href={`#${encodeURIComponent(section.id)}`}>{section.text}</a>
            </li>
          ))}
        </ul>
      </details>
    </nav>
  );
}

interface PageListProps {
  readonly view: WikiView;
  readonly all: { readonly entries: readonly WikiEntry[]; readonly total: number };
  readonly shown: string;
}

function PageList({ view, all, shown }: PageListProps): VNode {
  const pages = all.entries.filter((entry) => !asides.includes(entry.name));
  return (
    <section class="Box p-3 mb-3">
      <h2 class="f5 mb-2">
        <a class="Link--primary" href={`${view.wiki}/_pages`}>
          {t('view.pages')}
        </a>{' '}
        <span class="Counter">{all.total}</span>
      </h2>
      <SearchBox view={view} />
      <Tree view={view} entries={pages.slice(0, maxSiblings)} shown={shown} />
      {all.total > all.entries.length ? (
        <a href={`${view.wiki}/_pages`}>{t('view.morePages', { count: all.total })}</a>
      ) : null}
    </section>
  );
}

/** No page has been written yet, or all have been deleted. */
export function emptyView(view: WikiView, hasHistory = false): WebPage {
  return view.page({
    title: t.later('tab'),
    body: <Empty view={view} hasHistory={hasHistory} />,
  });
}

function Empty({ view, hasHistory }: { readonly view: WikiView; readonly hasHistory: boolean }): VNode {
  return (
    <div class="Box blankslate blankslate-spacious">
      {icon('book', { size: 24, class: 'blankslate-icon' })}
      <h2 class="blankslate-heading">{hasHistory ? t('empty.cleared') : t('empty.title')}</h2>
      <p class="color-fg-muted">{t('empty.text')}</p>
      {hasHistory ? (
        <p>
          <a href={deletedPagesHref(view)}>{t('deletedPages')}</a>
        </p>
      ) : null}
      {view.mayWrite ? (
        <div>
          <p>
            <a class="btn btn-primary" href={`${view.wiki}/_new?title=Home`}>
              {t('empty.create')}
            </a>
          </p>
          <p class="color-fg-muted mb-2">{t('empty.push')}</p>
          <div class="mx-auto width-narrow">
            <CloneBoxes view={view} />
          </div>
        </div>
      ) : null}
    </div>
  );
}
