import type { VNode } from 'preact';
import { icon, lastPage, Pager, type WebPage } from '@mortise/plugin-sdk';
import type { WikiEntry } from '../contract/wiki.js';
import { searchWiki, shortestQuery } from '../services/search.js';
import { t } from '../texts/index.js';
import { deletedPagesHref } from './deleted-pages.js';
import { Heading, SearchBox, Tree, type WikiView } from './wiki-view.js';

const pagesOnPage = 500;
const maxHits = 100;
const maxQueryLength = 200;

/** All pages as a tree, those of one folder, or those that hold some words. */
export async function listView(view: WikiView, folder = ''): Promise<WebPage> {
  const words = (view.query.q ?? '').trim().slice(0, maxQueryLength);
  const { reader } = view.services;
  const { commit } = await reader.head(view.id);
  const number = view.context.page.page;
  const all = commit
    ? await reader.list(view.id, commit, {
        folders: true,
        inside: folder,
        offset: (number - 1) * pagesOnPage,
        limit: pagesOnPage,
      })
    : { entries: [], total: 0 };
  const matching =
    words.length >= shortestQuery ? await searchWiki(view.services.reader, view.id, words, maxHits) : undefined;
  return view.page({
    title: words ? t.later('list.search', { words }) : folder || t.later('list.title'),
    body: (
      <List
        view={view}
        words={words}
        folder={folder}
        number={number}
        all={all}
        found={matching}
        hasHistory={!!commit}
      />
    ),
  });
}

interface ListProps extends PagesProps {
  readonly words: string;
  readonly folder: string;
  /** Undefined: the words are too short. */
  readonly found: Found | undefined;
  readonly hasHistory: boolean;
}
type Found = Awaited<ReturnType<typeof searchWiki>>;

function List({ view, words, folder, number, all, found, hasHistory }: ListProps): VNode {
  return (
    <div>
      <Heading title={words ? t('list.search', { words }) : folder || t('list.title')}>
        {view.mayWrite ? (
          <a class="btn btn-primary" href={`${view.wiki}/_new`}>
            {icon('plus')} {t('newPage')}
          </a>
        ) : null}
      </Heading>
      <div class="width-narrow">
        <SearchBox view={view} words={words} />
      </div>
      {words ? <Hits view={view} words={words} found={found} /> : <Pages view={view} number={number} all={all} />}
      {hasHistory ? (
        <p class="mt-3">
          <a href={deletedPagesHref(view)}>{t('deletedPages')}</a>
        </p>
      ) : null}
    </div>
  );
}

interface PagesProps {
  readonly view: WikiView;
  readonly number: number;
  readonly all: { readonly entries: readonly WikiEntry[]; readonly total: number };
}

function Pages({ view, number, all }: PagesProps): VNode {
  if (!all.total) return <p class="color-fg-muted">{t('list.none')}</p>;
  return (
    <div>
      <div class="Box p-3">
        <Tree view={view} entries={all.entries} />
      </div>
      <Pager page={number} last={lastPage(all.total, pagesOnPage)} href={(page) => `?page=${page}`} />
    </div>
  );
}

function Hits({ view, words, found: results }: Pick<ListProps, 'view' | 'words' | 'found'>): VNode {
  if (!results) return <p class="color-fg-muted">{t('list.short', { count: shortestQuery })}</p>;
  const { hits: found, total } = results;
  if (!total) return <p class="color-fg-muted">{t('list.noHits', { words })}</p>;
  return (
    <ul class="Box list-style-none">
      {found.map(({ entry, lines }) => (
        <li class="Box-row">
          <a class="text-bold wb-break-word" href={view.href(entry.name)}>
            {entry.title}
          </a>
          {lines.map(({ line, text }) => (
            <p class="f6 text-mono color-fg-muted mb-0 mt-1 wb-break-word">
              <span class="color-fg-subtle">{line}:</span> <Marked text={text} words={words} />
            </p>
          ))}
        </li>
      ))}
      {total > found.length ? (
        <li class="Box-row color-fg-muted">{t('list.moreHits', { count: total - found.length })}</li>
      ) : null}
    </ul>
  );
}

function Marked({ text, words }: { text: string; words: string }): VNode {
  const at = text.toLowerCase().indexOf(words.toLowerCase());
  if (at < 0) return <span>{text}</span>;
  return (
    <span>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + words.length)}</mark>
      {text.slice(at + words.length)}
    </span>
  );
}
