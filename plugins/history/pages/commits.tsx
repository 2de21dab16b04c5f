import { Joi, NotFound, Pager, defineRoute, icon, type Route } from '@mortise/plugin-sdk';
import { at, openView, pageAccess, placeOf } from '../contract/pages.js';
import { Crumbs, Switcher } from '../contract/parts.js';
import type { PageServices } from './services.js';

const word = Joi.string()
  .allow('')
  .max(200)
  .pattern(/^[^\0\n]*$/);
const query = Joi.object({ author: word, q: word }).unknown();

/** Lists of commits of a point in history, also of one file through its renames. */
export function commitPages(services: PageServices): Route[] {
  const { pages, views } = services;
  const route = (path: string) =>
    defineRoute({
      method: 'GET' as const,
      path,
      surface: 'page' as const,
      access: pageAccess,
      request: { query },
      async handler(context) {
        const { repository } = context.subject;
        const view = await openView(services, context, context.params.rest ?? `branch/${repository.defaultBranch}`);
        const { limit, offset, page } = context.page;
        const { author = '', q: search = '' } = context.query as { author?: string; q?: string };
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
        const filtered = author || search;
        if (view.path && log.total === 0 && !filtered) throw NotFound('file');
        const words = (to: number) =>
          `${at(view, 'commits')}?${new URLSearchParams({ ...(author ? { author } : {}), ...(search ? { q: search } : {}), page: String(to) }).toString()}`;
        return pages.page(placeOf(context), 'code', {
          title: `Commits of ${view.path || view.revision.name}`,
          islands: ['copy', 'lines', 'shortcuts', 'filter'],
          body: (
            <div data-find={at(view, 'find', '')}>
              <div class="d-flex flex-wrap flex-items-center mb-3" style="gap: 12px">
                {await Switcher(view, 'commits')}
                <Crumbs view={view} />
                <span class="color-fg-muted f6">
                  {log.total} {log.total === 1 ? 'commit' : 'commits'}
                </span>
                <span class="flex-auto" />
                <form method="get" action={at(view, 'commits')} class="d-flex flex-wrap" style="gap: 8px">
                  <input
                    class="form-control input-sm"
                    name="q"
                    value={search}
                    placeholder="Words of the message"
                    aria-label="Words of the message"
                    type="search"
                    data-focus
                  />
                  <input
                    class="form-control input-sm"
                    name="author"
                    value={author}
                    placeholder="Author"
                    aria-label="Author"
                    type="search"
                  />
                  <button class="btn btn-sm" type="submit">
                    Filter
                  </button>
                </form>
                {view.path ? null : (
                  <a class="btn btn-sm" href={at(view, 'graph')}>
                    {icon('git-merge')} Graph
                  </a>
                )}
              </div>
              {log.commits.length > 0 ? (
                await views.list(view, log.commits)
              ) : (
                <p class="blankslate">No commits {filtered ? 'match' : 'here'}.</p>
              )}
              <Pager
                page={page}
                more={offset + log.commits.length < log.total}
                href={words}
                words={['Newer', 'Older']}
              />
            </div>
          ),
        });
      },
    });
  return [route('/{owner}/{repo}/commits'), route('/{owner}/{repo}/commits/{rest*}')];
}
