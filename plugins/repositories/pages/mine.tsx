import { defineRoute, icon, webPage, type Route, Pager, lastPage } from '@mortise/plugin-sdk';
import { searchHref, searchOf, searchSchema, type SearchQuery } from './search.js';
import type { PageServices } from './shared.js';

/** All that the signed-in user owns or works on, with search and filters. */
export function ownPageRoutes({
  repositories,
  layout,
  site,
}: Pick<PageServices, 'repositories' | 'layout' | 'site'>): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/user/repositories',
      surface: 'page',
      access: { actor: 'user' },
      request: { query: searchSchema },
      async handler({ actor, query, page: { page, limit, offset } }) {
        const asked = query as SearchQuery;
        const { items, total } = await repositories.search(
          { ...searchOf(asked), accessibleTo: actor.id, limit, offset },
          actor,
        );
        return webPage({
          title: 'Your repositories',
          active: 'repositories',
          body: (
            <div>
              <div class="d-flex flex-wrap flex-items-center mb-2" style="gap: 8px">
                <h1 class="f2 flex-auto">
                  Your repositories <span class="Counter">{total}</span>
                </h1>
                <a class="btn btn-primary" href={site.path('/repo/create')}>
                  {icon('plus')} New repository
                </a>
              </div>
              {layout.searchForm({ query: asked })}
              {layout.list(items)}
              <Pager page={page} last={lastPage(total, limit)} href={(to) => searchHref(asked, to)} />
            </div>
          ),
        });
      },
    }),
  ];
}
