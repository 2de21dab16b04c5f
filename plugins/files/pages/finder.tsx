import type { VNode } from 'preact';
import { IslandTexts, Joi, defineRoute, pageRoute, icon, reply, type Route } from '@mortise/plugin-sdk';
import { listFiles } from '../services/file-list.js';
import { matches } from '../services/file-search.js';
import { at, pageAccess, pageContextOf, type CodePageContext, type RevisionView } from '@mortise/history/api';
import { t } from '../texts/index.js';
import { BranchSearch, openBranch } from './branch-search.js';
import { type PageDeps } from './page-deps.js';

const maxListed = 20_000;
const maxShown = 200;

/** Find a file by parts of its path: a page that works by itself, and the list that its script filters. */
export function finderPages(services: PageDeps): Route[] {
  const { pages, cache } = services;

  const paths = async (view: RevisionView): Promise<readonly string[]> =>
    (await cache.load(
      `paths:${view.repository.id}:${view.revision.commit}`,
      () => listFiles(view.git, view.revision.commit, maxListed),
      { size: (list) => (list as string[]).reduce((sum, path) => sum + path.length + 40, 0) },
    )) as readonly string[];
  const open = (context: CodePageContext<{ readonly rest?: string }>) => openBranch(services, context);

  const page = (path: string) =>
    defineRoute({
      method: 'GET' as const,
      path,
      surface: 'page' as const,
      access: pageAccess,
      request: { query: Joi.object<{ readonly q?: string }>({ q: Joi.string().allow('').max(500) }).unknown() },
      async handler(context) {
        const view = await open(context);
        const { q = '' } = context.query as { q?: string };
        const all = await paths(view);
        const found = q ? matches(all, q, maxShown) : all.slice(0, maxShown);
        return pages.page(pageContextOf(context), 'code', {
          title: t.later('find.title'),
          islands: ['lines', 'finder', 'shortcuts', 'filter'],
          body: <Finder view={view} search={q} found={found} total={all.length} />,
        });
      },
    });

  return [
    page('/{owner}/{repo}/find'),
    page('/{owner}/{repo}/find/{rest*}'),
    pageRoute('/{owner}/{repo}/tree-list/{rest*}', pageAccess, async (context) => {
      const view = await open(context);
      return reply
        .json(await paths(view))
        .tag(view.revision.commit)
        .header('cache-control', 'private, no-cache');
    }),
  ];
}

interface FinderProps {
  readonly view: RevisionView;
  readonly search: string;
  readonly found: readonly string[];
  /** Files that were looked through. */
  readonly total: number;
}

function Finder({ view, search, found, total }: FinderProps): VNode {
  return (
    <BranchSearch
      view={view}
      word="find"
      submit={t('find.submit')}
      fields={
        <input
          class="form-control flex-auto"
          type="search"
          name="q"
          value={search}
          autofocus
          placeholder={t('find.label')}
          aria-label={t('find.label')}
          autocomplete="off"
          data-finder={at(view, 'tree-list', '')}
          data-finder-base={at(view, 'src', '')}
        />
      }
    >
      <IslandTexts name="finder" texts={{ none: t('find.none') }} />
      <ul class="Box list-style-none text-mono f6" data-finder-list aria-live="polite">
        {found.map((one) => (
          <li class="Box-row Box-row--hover-gray py-2 wb-break-all">
            {icon('file', { class: 'color-fg-muted' })} <a href={at(view, 'src', one)}>{one}</a>
          </li>
        ))}
        {found.length === 0 ? <li class="Box-row">{t('find.none')}</li> : null}
      </ul>
      {total > maxShown ? (
        <p class="f6 color-fg-muted mt-2">
          {t(total >= maxListed ? 'find.someOfFirst' : 'find.some', { shown: maxShown, total })}
        </p>
      ) : null}
    </BranchSearch>
  );
}
