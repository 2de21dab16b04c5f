import type { VNode } from 'preact';
import { icon, FragmentCache } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';
import { encodePath, type RevisionView } from './pages.js';

/** Pages that a branch or tag can be chosen for. */
export const refPages = ['src', 'commits', 'graph', 'blame', 'find', 'search'] as const;
type RefPage = (typeof refPages)[number];

export const isRefPage = (word: string): word is RefPage => (refPages as readonly string[]).includes(word);

/** The same page of another branch or tag. */
export const refHref = (repositoryPath: string, page: RefPage, kind: string, name: string, path: string) =>
  `${repositoryPath}/${page}/${kind}/${encodePath(name)}${path && page !== 'graph' ? `/${encodePath(path)}` : ''}`;

interface RefMenuProps {
  /** Address of the repository's page. */
  readonly repositoryPath: string;
  /** What the page of references is asked with, besides the search. */
  readonly query: Readonly<Record<string, string>>;
  readonly summary: VNode;
}

/**
 * A menu that searches branches and tags on the server, the newest first. Without a script it holds the search alone,
 * which leads to a page. Its pages name the islands `lines` and `filter`.
 */
export function RefMenu({ repositoryPath, query, summary }: RefMenuProps): VNode {
  return (
    <details class="position-relative d-inline-block" data-ref-menu>
      <summary class="btn btn-sm">{summary}</summary>
      <div class="code-menu Box position-absolute mt-1 pb-2 color-shadow-large">
        <form method="get" action={`${repositoryPath}/refs`} class="p-2" role="search">
          {Object.entries(query).map(([name, value]) => (
            <input type="hidden" name={name} value={value} />
          ))}
          <input
            class="form-control input-sm width-full"
            type="search"
            name="q"
            autocomplete="off"
            placeholder={t('refs.search')}
            aria-label={t('refs.search')}
            maxLength={200}
          />
        </form>
        <div data-ref-list data-failed={t('refs.failed')}>
          <p class="px-3 mb-0">
            <a href={`${repositoryPath}/refs?${new URLSearchParams(query).toString()}`}>{t('refs.all')}</a>
          </p>
        </div>
      </div>
    </details>
  );
}

/** Leads to the same page of another branch or tag. */
export function Switcher({ view, word }: { view: RevisionView; word: RefPage }): VNode {
  const { kind, name } = view.revision;
  const shown = kind === 'commit' ? name.slice(0, 10) : name;
  const glyph = kind === 'tag' ? 'tag' : kind === 'commit' ? 'git-commit' : 'git-branch';
  return (
    <FragmentCache
      name="history.switcher"
      cacheKey={JSON.stringify([view.repositoryPath, word, kind, name, view.path])}
    >
      {() => (
        <RefMenu
          repositoryPath={view.repositoryPath}
          query={{ to: word, kind, name, ...(view.path ? { path: view.path } : {}) }}
          summary={
            <span title={shown}>
              {icon(glyph)} <span class="code-short">{shown}</span> {icon('triangle-down')}
            </span>
          }
        />
      )}
    </FragmentCache>
  );
}
