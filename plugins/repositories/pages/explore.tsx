import {
  cachedForVisitors,
  pageRoute,
  reply,
  formatNumber,
  webPage,
  type Route,
  Pager,
  Tabs,
  lastPage,
} from '@mortise/plugin-sdk';
import { searchHref, searchSchema, type SearchQuery } from './search.js';
import type { PageDeps } from './page-deps.js';
import { t } from '../texts/index.js';

/** All repositories that the viewer may see. */
export function explorePageRoutes({
  repositories,
  layout,
  site,
  explore,
  rules,
}: Pick<PageDeps, 'repositories' | 'layout' | 'site' | 'explore' | 'rules'>): Route[] {
  const { perPage } = rules;
  return [
    pageRoute('/explore', { actor: rules.actor }, () =>
      Promise.resolve(reply.redirect(site.path(explore.list()[0]?.href ?? '/'))),
    ),
    cachedForVisitors(
      pageRoute(
        '/explore/repos',
        { actor: rules.actor },
        async ({ actor, query, page: { page } }) => {
          const asked = query as SearchQuery;
          const [{ items, total }, languages] = await Promise.all([
            repositories.search({ ...layout.searchOf(asked), limit: perPage, offset: (page - 1) * perPage }, actor),
            repositories.languages(),
          ]);
          return webPage(() => ({
            title: t('explore.title'),
            active: 'explore',
            body: (
              <div>
                <h1 class="f2 mb-3">
                  {t('explore.heading')} <span class="Counter">{formatNumber(total)}</span>
                </h1>
                <Tabs
                  label={t('explore.title')}
                  entries={explore.list().map((entry) => ({ ...entry, href: site.path(entry.href) }))}
                  active="repositories"
                />
                {layout.searchForm({ query: asked, languages })}
                {layout.list(items)}
                <Pager page={page} last={lastPage(total, perPage)} href={(to) => searchHref(asked, to)} />
              </div>
            ),
          }));
        },
        { query: searchSchema },
      ),
    ),
  ];
}
