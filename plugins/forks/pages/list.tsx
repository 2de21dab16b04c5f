import { Pager, pageRoute, formatNumber, icon, lastPage, type Route } from '@mortise/plugin-sdk';
import { repositoryHome, repositoryPageContext, repositoryResource } from '@mortise/repositories/api';
import { t } from '../texts/index.js';
import type { PageDeps } from './page-deps.js';

/** The forks of a repository. */
export function forkListPage({ repositories, pages, site }: PageDeps): Route[] {
  return [
    pageRoute(
      '/{owner}/{repo}/forks',
      { actor: 'anyone', resource: repositoryResource, unit: 'code' },
      async (context) => {
        const { repository } = context.resource;
        const { page, limit, offset } = context.page;
        const { items, total } = await repositories.search(
          { forkOf: repository.id, sort: 'updated', descending: true, limit, offset },
          context.actor,
        );
        return pages.page(repositoryPageContext(context), '', () => ({
          title: t('list.title'),
          body: (
            <div>
              <div class="d-flex flex-items-center mb-2">
                <h2 class="f3 flex-auto">
                  {t('list.title')} <span class="Counter">{formatNumber(total)}</span>
                </h2>
                {context.actor.kind === 'user' ? (
                  <a class="btn btn-primary" href={`${repositoryHome(site, repository)}/fork`}>
                    {icon('repo-forked')} {t('list.new')}
                  </a>
                ) : null}
              </div>
              {pages.list(items)}
              <Pager page={page} last={lastPage(total, limit)} href={(to) => `?page=${to}`} />
            </div>
          ),
        }));
      },
    ),
  ];
}
