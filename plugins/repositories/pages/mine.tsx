import { pageRoute, savedFlash, webPage, type Route, Pager, lastPage } from '@mortise/plugin-sdk';
import { OwnHead } from './account.js';
import { searchHref, searchSchema, type SearchQuery } from './search.js';
import type { PageDeps } from './page-deps.js';
import { t } from '../texts/index.js';

/** All that the signed-in user owns or works on, with search and filters. */
export function ownPageRoutes({
  repositories,
  layout,
  site,
}: Pick<PageDeps, 'repositories' | 'layout' | 'site'>): Route[] {
  return [
    pageRoute(
      '/user/repositories',
      { actor: 'user' },
      async ({ actor, query, page: { page } }) => {
        const { perPage } = layout;
        const asked = query as SearchQuery;
        const { items, total } = await repositories.search(
          { ...layout.searchOf(asked), accessibleTo: actor.id, limit: perPage, offset: (page - 1) * perPage },
          actor,
        );
        return webPage(() => ({
          title: t('mine.title'),
          active: 'repositories',
          flash: savedFlash(query),
          body: (
            <div>
              <OwnHead total={total} site={site} />
              {layout.searchForm({ query: asked })}
              {layout.list(items)}
              <Pager page={page} last={lastPage(total, perPage)} href={(to) => searchHref(asked, to)} />
            </div>
          ),
        }));
      },
      { query: searchSchema },
    ),
  ];
}
