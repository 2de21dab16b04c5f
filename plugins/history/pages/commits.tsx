import type { VNode } from 'preact';
import {
  Blankslate,
  Joi,
  NotFound,
  Pager,
  Problem,
  cachedForVisitors,
  defineRoute,
  icon,
  reply,
  Reply,
  type Route,
  type Site,
} from '@mortise/plugin-sdk';
import { CodeBody } from '../contract/code-body.js';
import {
  at,
  encodePath,
  openView,
  pageAccess,
  pageContextOf,
  type CodePageContext,
  type RevisionView,
} from '../contract/pages.js';
import { Crumbs } from '../contract/commit-bar.js';
import { Switcher } from '../contract/ref-picker.js';
import { t } from '../texts/index.js';
import type { PageDeps } from './page-deps.js';

interface CommitsQuery {
  readonly author: string;
  readonly q: string;
}

const word = Joi.string()
  .allow('')
  .max(200)
  .pattern(/^[^\0\n]*$/)
  .default('');
const query = Joi.object<CommitsQuery>({ author: word, q: word }).unknown();

/** Lists of commits of a point in history, also of one file through its renames. */
export function commitPages(services: PageDeps): Route[] {
  const { pages, views } = services;
  const show = async (context: CodePageContext, rest: string | undefined, { author, q: search }: CommitsQuery) => {
    const { repository } = context.resource;
    const place = rest ?? `branch/${repository.defaultBranch}`;
    const view = await openView(services, context, place).catch((error: unknown) =>
      feedOf(services.site, context, place, error),
    );
    if (view instanceof Reply) return view;
    const { limit, offset, page } = context.page;
    const entry = view.path ? await view.git.entry(view.revision.commit, view.path) : undefined;
    const log = await view.git.log({
      from: [view.revision.commit],
      path: view.path || undefined,
      follow: entry?.type === 'blob',
      author: author || undefined,
      search: search || undefined,
      offset,
      limit,
    });
    const isFiltered = author !== '' || search !== '';
    if (view.path && log.total === 0 && !isFiltered) return feedOf(services.site, context, place, NotFound('file'));
    const words = { ...(author ? { author } : {}), ...(search ? { q: search } : {}) };
    return pages.page(pageContextOf(context), 'code', {
      title: t.later('commits.title', { name: view.path || view.revision.name }),
      islands: ['lines', 'shortcuts', 'filter'],
      body: (
        <CodeBody find={at(view, 'find', '')}>
          <Toolbar view={view} total={log.total} author={author} search={search} />
          {log.commits.length > 0 ? (
            await views.list(view, log.commits, { isHistory: true })
          ) : (
            <None isFiltered={isFiltered} />
          )}
          <OlderNewer
            page={page}
            more={offset + log.commits.length < log.total}
            href={(to) => `${at(view, 'commits')}?${new URLSearchParams({ ...words, page: String(to) }).toString()}`}
          />
        </CodeBody>
      ),
    });
  };
  const route = <const Path extends string>(path: Path) =>
    defineRoute({
      method: 'GET' as const,
      path,
      surface: 'page' as const,
      access: pageAccess,
      request: { query },
      handler: (context) => show(context as CodePageContext, (context.params as { rest?: string }).rest, context.query),
    });
  return [route('/{owner}/{repo}/commits'), route('/{owner}/{repo}/commits/{rest*}')].map(cachedForVisitors);
}

/** Readers of feeds ask for the list itself with an ending; what has that name is shown as such. Else the error is thrown. */
function feedOf(site: Site, { resource: { repository } }: CodePageContext, place: string, error: unknown): Reply {
  const [, branch, form] = /^branch\/(.+)\.(rss|atom)$/.exec(place) ?? [];
  if (!branch || !form || !Problem.is(error) || error.code !== 'not_found') throw error;
  const { ownerName, name } = repository;
  return reply.redirect(site.path(`/${ownerName}/${name}/${form}/branch/${encodePath(branch)}`), 303);
}

/** Pages of a history. */
export const OlderNewer = (props: { page: number; more: boolean; href: (page: number) => string }): VNode => (
  <Pager {...props} labels={[t('newer'), t('older')]} />
);

const None = ({ isFiltered }: { isFiltered: boolean }): VNode => (
  <Blankslate title={isFiltered ? t('commits.noMatch') : t('commits.none')} icon="git-commit" plain />
);

function Toolbar({
  view,
  total,
  author,
  search,
}: {
  view: RevisionView;
  total: number;
  author: string;
  search: string;
}): VNode {
  return (
    <div class="code-row mb-3">
      <Switcher view={view} word="commits" />
      <Crumbs view={view} />
      <span class="color-fg-muted f6">{t('commits.count', { count: total })}</span>
      <span class="flex-auto" />
      <form method="get" action={at(view, 'commits')} class="code-row">
        <input
          class="form-control input-sm"
          name="q"
          value={search}
          placeholder={t('commits.search')}
          aria-label={t('commits.search')}
          type="search"
          data-focus
        />
        <input
          class="form-control input-sm"
          name="author"
          value={author}
          placeholder={t('commits.author')}
          aria-label={t('commits.author')}
          type="search"
        />
        <button class="btn btn-sm" type="submit">
          {t('commits.filter')}
        </button>
      </form>
      {view.path ? null : (
        <a class="btn btn-sm" href={at(view, 'graph')}>
          {icon('git-merge')} {t('graph.title')}
        </a>
      )}
    </div>
  );
}
