import { Blankslate, pageRoute, formatNumber, type Route, Pager, lastPage } from '@mortise/plugin-sdk';
import { repositoryPageContext, repositoryResource } from '@mortise/repositories/api';
import { t } from '../texts/index.js';
import type { PageDeps } from './page-deps.js';

/** Who starred and who watches a repository. */
export function userPageRoutes(services: PageDeps): Route[] {
  const { accounts, pages, stars, site } = services;

  const userPage = (path: 'stars' | 'watchers'): Route =>
    pageRoute(`/{owner}/{repo}/${path}`, { actor: 'anyone', resource: repositoryResource }, async (context) => {
      const { repository } = context.resource;
      const { page, limit, offset } = context.page;
      const kind = path === 'stars' ? 'star' : 'watch';
      const { userIds, total } = await stars.users(kind, repository.id, context.actor, { limit, offset });
      const known = await accounts.byIds(userIds);
      return pages.page(repositoryPageContext(context), '', () => ({
        title: t(`users.${path}`),
        body: (
          <div>
            <h2 class="f3 mb-3">
              {t(`users.${path}`)} <span class="Counter">{formatNumber(total)}</span>
            </h2>
            {total === 0 ? (
              <Blankslate
                title={t(path === 'stars' ? 'users.noStars' : 'users.noWatchers')}
                icon={path === 'stars' ? 'star' : 'eye'}
                level={3}
              />
            ) : (
              <ul class="list-style-none card-grid">
                {userIds.map((id) => {
                  const account = known.get(id);
                  return account ? (
                    <li class="Box p-3 d-flex flex-items-center gap-2">
                      <img class="avatar avatar-user" src={accounts.avatarUrl(account)} width={40} height={40} alt="" />
                      <span class="min-width-0">
                        <a class="text-bold d-block css-truncate" href={site.path(`/${account.name}`)}>
                          {account.name}
                        </a>
                        <span class="color-fg-muted f6">{account.fullName}</span>
                      </span>
                    </li>
                  ) : null;
                })}
              </ul>
            )}
            <Pager page={page} last={lastPage(total, limit)} href={(to) => `?page=${to}`} />
          </div>
        ),
      }));
    });

  return [userPage('stars'), userPage('watchers')];
}
