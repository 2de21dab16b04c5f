import type { VNode } from 'preact';
import {
  Blankslate,
  pageRoute,
  formatNumber,
  Joi,
  lastPage,
  listHref,
  Pager,
  SearchBox,
  Tabs,
  webPage,
  type NavigationItem,
  type PointReader,
  type Route,
  type Site,
  type TabEntry,
} from '@mortise/plugin-sdk';
import type { Accounts, AccountSearch, ExploreRules } from '@mortise/accounts/api';
import { UserRow, userViewOf, VisibilityLabel, type PathOf, type UserView } from './components.js';
import { t } from '../texts/index.js';

interface Services {
  readonly accounts: Accounts;
  readonly site: Site;
  readonly rules: ExploreRules;
}

const sorts = ['alpha', 'newest', 'oldest', 'updated'] as const;
type Sort = (typeof sorts)[number];
const orders: Readonly<Record<Sort, Pick<AccountSearch, 'sort' | 'descending'>>> = {
  alpha: { sort: 'name' },
  newest: { sort: 'newest' },
  oldest: { sort: 'oldest' },
  updated: { sort: 'updated', descending: true },
};

interface ExploreProps {
  readonly organizations: readonly UserView[];
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  readonly text: string;
  readonly sort: Sort;
  readonly tabs: readonly TabEntry[];
  readonly path: PathOf;
}

const Explore = ({ organizations, total, page, limit, text, sort, tabs, path }: ExploreProps): VNode => (
  <div>
    <h1 class="f2 mb-3">
      {t('explore.title')} <span class="Counter">{formatNumber(total)}</span>
    </h1>
    <Tabs label={t('explore.label')} entries={tabs} active="organizations" />
    <SearchBox value={text} label={t('explore.search')}>
      <select class="form-select" name="sort" aria-label={t('explore.sort')}>
        {sorts.map((key) => (
          <option key={key} value={key} selected={key === sort}>
            {t(`explore.sort.${key}`)}
          </option>
        ))}
      </select>
    </SearchBox>
    {organizations.length === 0 ? (
      <Blankslate title={t('explore.none')} icon="organization" />
    ) : (
      <ul class="Box list-style-none">
        {organizations.map((one) => (
          <UserRow
            key={one.account.id}
            {...one}
            path={path}
            marks={<VisibilityLabel of={one.account.visibility} />}
            note={one.account.description}
          />
        ))}
      </ul>
    )}
    <Pager page={page} last={lastPage(total, limit)} href={(to) => listHref('', { q: text, sort, page: to })} />
  </div>
);

/** `/explore/organizations`: all that the visitor may see. */
export const explorePageRoutes =
  (tabs: PointReader<NavigationItem>) =>
  ({ accounts, site, rules }: Services): readonly Route[] => {
    const path = (to: string) => site.path(to);
    return [
      pageRoute(
        '/explore/organizations',
        { actor: rules.actor },
        async ({ actor, query, page: { page } }) => {
          const limit = rules.perPage;
          const { items, total } = await accounts.search({
            kind: 'organization',
            text: query.q,
            visibleTo: actor,
            ...orders[query.sort],
            limit,
            offset: (page - 1) * limit,
          });
          return webPage({
            title: t.later('explore.title'),
            active: 'explore',
            body: (
              <Explore
                organizations={items.map(userViewOf(accounts))}
                total={total}
                page={page}
                limit={limit}
                text={query.q}
                sort={query.sort}
                tabs={tabs.list().map((entry) => ({ ...entry, href: path(entry.href) }))}
                path={path}
              />
            ),
          });
        },
        {
          query: Joi.object<{ readonly q: string; readonly sort: Sort }>({
            q: Joi.string().allow('').max(255).default(''),
            sort: Joi.string()
              .valid(...sorts)
              .default('alpha')
              .failover('alpha'),
          }),
        },
      ),
    ];
  };
