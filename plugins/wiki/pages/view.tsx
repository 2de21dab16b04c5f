import { Fragment, type VNode } from 'preact';
import { Ago, icon, type WebPage, within } from '@mortise/plugin-sdk';
import { MarkupBody, type SafeHtml } from '@mortise/markup/api';
import type { WikiEntry } from '../api.js';
import { headingsOf, type Heading as Section } from '../services/links.js';
import { lostHref, RestoreButton, RestoreForm } from './lost.js';
import { CloneBoxes, Heading, Person, SearchBox, Tree, type Visit } from './shared.js';

/** More pages than that are not listed beside every page. */
const mostBeside = 60;
/** Milliseconds that a page waits for its last change: a long history is walked through, and known the next time. */
const longestWalk = 500;
/** Shown with every page instead of in the list. */
const asides: readonly string[] = ['_Sidebar', '_Footer'];

export interface PageOptions {
  /** As it was at that commit. */
  readonly version?: string;
  /** There is no such page any more. */
  readonly isLost?: boolean;
}

/** A page of the wiki with its table of contents, sidebar and footer. */
export async function pageView(
  visit: Visit,
  entry: WikiEntry,
  head: string,
  { version, isLost = false }: PageOptions = {},
): Promise<WebPage> {
  const { reader, accounts, site } = visit.services;
  const [body, history, sidebar, footer, all] = await Promise.all([
    visit.rendered(entry),
    within(longestWalk, reader.history(visit.id, version ?? head, entry.path)),
    aside(visit, '_Sidebar', head),
    aside(visit, '_Footer', head),
    reader.list(visit.id, head, { folders: true, limit: mostBeside + asides.length }),
  ]);
  const last = history?.commits[0];
  const total = history?.total ?? 0;
  const people = await accounts.byEmails(last ? [last.author.email] : []);
  const sections = body ? headingsOf(body) : [];
  return visit.page({
    title: entry.title,
    body: (
      <div>
        <Heading title={entry.title}>
          {visit.mayWrite ? (
            <span class="d-flex" style="gap: 8px">
              {isLost ? null : (
                <a class="btn" href={visit.href(entry.name, { action: '_edit', ...(version && { version }) })}>
                  {icon('pencil')} {version ? 'Edit from this version' : 'Edit'}
                </a>
              )}
              <a class="btn btn-primary" href={`${visit.wiki}/_new`}>
                {icon('plus')} New page
              </a>
            </span>
          ) : null}
        </Heading>
        <p class="color-fg-muted mb-3">
          {last ? (
            <span>
              <Person account={people.get(last.author.email.toLowerCase())} name={last.author.name} path={site.path} />{' '}
              edited this page <Ago time={last.author.time} /> ·{' '}
            </span>
          ) : null}
          <a href={visit.href(entry.name, { action: '_revision' })}>
            {total ? `${total} ${total === 1 ? 'revision' : 'revisions'}` : 'History'}
          </a>
        </p>
        {version && version !== head ? <Older visit={visit} entry={entry} version={version} isLost={isLost} /> : null}
        <div class="wiki-columns">
          <div class="wiki-main">
            {body === undefined ? (
              <div class="Box p-3">
                <p class="mb-2">This page is too long to be shown here.</p>
                <a class="btn btn-sm" href={visit.rawHref(entry.path)}>
                  {icon('download')} Show its text
                </a>
              </div>
            ) : (
              <div class="Box p-3 p-md-4">
                {body ? (
                  <MarkupBody html={body} />
                ) : (
                  <p>
                    <em>This page is empty.</em>
                  </p>
                )}
              </div>
            )}
            {footer ? <MarkupBody class="Box p-3 mt-3 f6 color-fg-muted" html={footer} /> : null}
          </div>
          <aside class="wiki-beside" aria-label="Wiki">
            <Contents sections={sections} />
            {sidebar ? <MarkupBody class="Box p-3 mb-3 f5" html={sidebar} /> : null}
            <PageList visit={visit} all={all} shown={entry.path} />
            <details>
              <summary class="f5 text-bold mb-2">Clone this wiki</summary>
              <CloneBoxes visit={visit} />
            </details>
          </aside>
        </div>
      </div>
    ),
  });
}

interface OlderProps {
  readonly visit: Visit;
  readonly entry: WikiEntry;
  readonly version: string;
  readonly isLost: boolean;
}

/** Says that this is not what the wiki has now. */
const Older = ({ visit, entry, version, isLost }: OlderProps): VNode => (
  <div class="flash flash-warn mb-3 d-flex flex-wrap flex-items-center" style="gap: 8px">
    {isLost ? (
      <Fragment>
        <span class="flex-auto">The wiki has this page no more. This is an older version of it.</span>
        {visit.mayWrite ? <RestoreButton version={version}>Restore this version</RestoreButton> : null}
        {visit.mayWrite ? <RestoreForm visit={visit} name={entry.name} /> : null}
      </Fragment>
    ) : (
      <span>
        This is an older version. <a href={visit.href(entry.name)}>Show the present one</a>
      </span>
    )}
  </div>
);

async function aside(visit: Visit, name: '_Sidebar' | '_Footer', head: string): Promise<SafeHtml | undefined> {
  const entry = await visit.services.reader.aside(visit.id, name, head);
  return entry && visit.rendered(entry);
}

function Contents({ sections }: { sections: readonly Section[] }): VNode | null {
  if (sections.length < 2) return null;
  return (
    <nav class="Box p-3 mb-3" aria-label="Contents of this page">
      <details open>
        <summary class="f5 text-bold">Contents</summary>
        <ul class="list-style-none mt-2 f6 wiki-contents">
          {sections.map((section) => (
            <li style={`padding-left: ${section.level * 12}px`} class="wb-break-word">
              <a href={`#${encodeURIComponent(section.id)}`}>{section.text}</a>
            </li>
          ))}
        </ul>
      </details>
    </nav>
  );
}

interface PageListProps {
  readonly visit: Visit;
  readonly all: { readonly entries: readonly WikiEntry[]; readonly total: number };
  readonly shown: string;
}

function PageList({ visit, all, shown }: PageListProps): VNode {
  const pages = all.entries.filter((entry) => !asides.includes(entry.name));
  return (
    <section class="Box p-3 mb-3">
      <h3 class="f5 mb-2">
        <a class="Link--primary" href={`${visit.wiki}/_pages`}>
          Pages
        </a>{' '}
        <span class="Counter">{all.total}</span>
      </h3>
      <SearchBox visit={visit} />
      <Tree visit={visit} entries={pages.slice(0, mostBeside)} shown={shown} />
      {all.total > all.entries.length ? <a href={`${visit.wiki}/_pages`}>All {all.total} pages</a> : null}
    </section>
  );
}

/** No page has been written yet, or all have been deleted. */
export function emptyView(visit: Visit, hasHistory = false): WebPage {
  return visit.page({
    title: 'Wiki',
    body: (
      <div class="Box blankslate blankslate-spacious">
        {icon('book', { size: 24, class: 'blankslate-icon' })}
        <h2 class="blankslate-heading">{hasHistory ? 'The wiki has no pages' : 'There is no wiki yet'}</h2>
        <p class="color-fg-muted">A wiki is the place for documentation that people write together.</p>
        {hasHistory ? (
          <p>
            <a href={lostHref(visit)}>Deleted pages</a>
          </p>
        ) : null}
        {visit.mayWrite ? (
          <div>
            <p>
              <a class="btn btn-primary" href={`${visit.wiki}/_new?title=Home`}>
                Create the first page
              </a>
            </p>
            <p class="color-fg-muted mb-2">or push one with git:</p>
            <div style="max-width: 480px" class="mx-auto">
              <CloneBoxes visit={visit} />
            </div>
          </div>
        ) : null}
      </div>
    ),
  });
}
