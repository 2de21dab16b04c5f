import {
  Blankslate,
  formatNumber,
  icon,
  SearchBox,
  textOf,
  type Actor,
  type PointReader,
  type Site,
  type Slot,
  Pager,
  lastPage,
} from '@mortise/plugin-sdk';
import type { Account, Accounts, ProfileTab, WaitingList, WaitingSource } from '@mortise/accounts/api';
import type { Repositories, Repository } from '@mortise/repositories/api';
import type { VNode } from 'preact';
import type { Activities } from '../contract/activity.js';
import { t } from '../texts/index.js';
import type { Checklist, Checklists } from '../services/checklists.js';
import { ChecklistBoxes } from './checklists.js';
import { Feed, loadFeed, type FeedProps } from './feed.js';
import { Heatmap } from './heatmap.js';

interface Services {
  readonly activities: Activities;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly site: Site;
}

interface Options {
  readonly perPage: number;
  readonly heatmapOn: boolean;
  readonly feedsOn: boolean;
}

type Quarters = Awaited<ReturnType<Activities['heatmap']>>;

const pageOf = (given: string | undefined) => Math.min(100_000, Math.max(1, Math.floor(Number(given)) || 1));

interface ProfileProps {
  readonly account: Account;
  readonly quarters: Quarters | undefined;
  readonly feed: FeedProps;
  readonly isHidden: boolean;
  readonly feedsOn: boolean;
  readonly page: number;
  readonly last: number;
}

function Profile({ account, quarters, feed, isHidden, feedsOn, page, last }: ProfileProps): VNode {
  const { path } = feed;
  return (
    <div>
      {quarters ? <Heatmap quarters={quarters} /> : null}
      <div class="d-flex flex-items-center mb-2">
        <h2 class="f4 flex-auto">{t('tab.heading')}</h2>
        {feedsOn ? (
          <a class="btn btn-sm" href={path(`/${account.name}.rss`)} type="application/rss+xml">
            {icon('rss')} {t('tab.rss')}
          </a>
        ) : null}
      </div>
      <Feed {...feed} empty={isHidden ? t('tab.hidden', { name: account.name }) : t('tab.none')} />
      <Pager
        page={page}
        last={last}
        href={(to) => path(`/${account.name}?tab=activity&page=${to}`)}
        labels={[t('list.newer'), t('list.older')]}
      />
    </div>
  );
}

/** What an account did, on its profile. */
export function activityTab(services: Services, { perPage, heatmapOn, feedsOn }: Options): ProfileTab {
  const { activities, site } = services;
  const path = (to: string) => site.path(to);
  return {
    key: 'activity',
    label: t.later('tab.label'),
    icon: 'pulse',
    order: 20,
    async render({ account, actor, query }) {
      const page = pageOf(query.page);
      const onlyPerformedBy = account.kind === 'user';
      const { items, total } = await activities.search(
        { userId: account.id, onlyPerformedBy, withoutParts: true, limit: perPage, offset: (page - 1) * perPage },
        actor,
      );
      const isHidden = account.hideActivity && actor.id !== account.id && !actor.isAdmin;
      return (
        <Profile
          account={account}
          quarters={heatmapOn && !isHidden ? await activities.heatmap(account.id, actor) : undefined}
          feed={await loadFeed(items, { ...services, path })}
          isHidden={isHidden}
          feedsOn={feedsOn}
          page={page}
          last={lastPage(total, perPage)}
        />
      );
    },
  };
}

const recent = 12;
/** Of each list of what waits. */
const waitingItems = 3;

interface DashboardProps {
  readonly name: string;
  readonly quarters: Quarters | undefined;
  readonly feed: FeedProps;
  readonly hasMore: boolean;
  readonly mine: { readonly items: readonly Repository[]; readonly total: number };
  readonly waiting: readonly WaitingList[];
  readonly checklists: readonly Checklist[];
  /** Below the repositories. */
  readonly details: readonly (VNode | null)[];
}

/** Whom others wait for sees it first. */
const Waiting = ({ lists, path }: { lists: readonly WaitingList[]; path: (path: string) => string }): VNode => (
  <section class="mb-4" aria-labelledby="dashboard-waiting">
    <h2 class="f4 mb-2" id="dashboard-waiting">
      {t('dashboard.waiting')}
    </h2>
    {lists.map((list) => (
      <div class="Box mb-2">
        <div class="Box-header py-2 d-flex flex-items-center gap-2">
          {icon(list.icon, { class: 'color-fg-muted' })}
          <h3 class="f5 flex-auto">
            {list.path ? (
              <a class="Link--primary" href={path(list.path)}>
                {textOf(list.label)}
              </a>
            ) : (
              textOf(list.label)
            )}{' '}
            <span class="Counter">{formatNumber(list.total)}</span>
          </h3>
        </div>
        <ul class="list-style-none">
          {list.items.map((item) => (
            <li class="Box-row py-2 wb-break-word" key={item.path}>
              <a class="Link--primary" href={path(item.path)}>
                {item.title}
              </a>{' '}
              <span class="f6 color-fg-muted">{item.where}</span>
            </li>
          ))}
        </ul>
      </div>
    ))}
  </section>
);

function Dashboard(props: DashboardProps): VNode {
  const { name, quarters, feed, hasMore, mine, waiting, checklists, details } = props;
  const { path } = feed;
  return (
    <div>
      <h1 class="f2 mb-3">{t('dashboard.title')}</h1>
      <div class="d-md-flex flex-row-reverse gap-4">
        <div class="col-12 col-md-4">
          <section class="mb-4" aria-labelledby="dashboard-repositories">
            <div class="d-flex flex-items-center gap-2 mb-2">
              <h2 class="f4 flex-auto" id="dashboard-repositories">
                {t('dashboard.repositories')} <span class="Counter">{formatNumber(mine.total)}</span>
              </h2>
              <a class="btn btn-primary btn-sm" href={path('/repo/create')}>
                {icon('plus')}{' '}
                {t.rich('dashboard.new', { more: (children) => <span class="sr-only">{children}</span> })}
              </a>
            </div>
            {mine.total > 0 ? (
              <SearchBox action={path('/user/repositories')} value="" label={t('dashboard.find')} />
            ) : null}
            {mine.total === 0 ? (
              <Blankslate title={t('dashboard.noRepositoriesTitle')} icon="repo" level={3}>
                <p>{t('dashboard.noRepositories')}</p>
              </Blankslate>
            ) : (
              <ul class="Box list-style-none">
                {mine.items.map((one) => (
                  <li class="Box-row py-2 wb-break-word" key={one.id}>
                    <span class="color-fg-muted">{icon(one.isPrivate ? 'lock' : 'repo')}</span>{' '}
                    <a href={path(`/${one.ownerName}/${one.name}`)}>
                      {one.ownerName}/<strong>{one.name}</strong>
                    </a>
                  </li>
                ))}
                {mine.total > mine.items.length ? (
                  <li class="Box-row py-2">
                    <a href={path('/user/repositories')}>{t('dashboard.allRepositories', { count: mine.total })}</a>
                  </li>
                ) : null}
              </ul>
            )}
          </section>
          {details}
        </div>
        <div class="col-12 col-md-8 min-width-0">
          <ChecklistBoxes lists={checklists} path={path} />
          {waiting.length ? <Waiting lists={waiting} path={path} /> : null}
          {quarters ? <Heatmap quarters={quarters} /> : null}
          <h2 class="f4 mb-2">{t('dashboard.recent')}</h2>
          <Feed {...feed} empty={t('tab.none')} hint={t('dashboard.none')} />
          {hasMore ? (
            <p class="mt-3">
              <a href={path(`/${name}?tab=activity`)}>{t('dashboard.all')}</a>
            </p>
          ) : null}
        </div>
      </div>
    </div>
  );
}

/** `/` of a signed-in user: what happened around it, and its repositories beside that. */
export function dashboard(
  services: Services,
  { perPage, heatmapOn }: Options,
  points: {
    readonly details: PointReader<Slot<{ actor: Actor }>>;
    readonly waiting: PointReader<WaitingSource>;
    readonly checklists: Checklists;
  },
): Slot<{ actor: Actor }> & { key: string } {
  const { activities, repositories, site } = services;
  const path = (to: string) => site.path(to);
  return {
    key: 'activity',
    order: 40,
    async render(props) {
      const { actor } = props;
      if (actor.kind !== 'user') return null;
      const search = { userId: actor.id, withoutParts: true, limit: perPage, offset: 0 };
      const feed = await activities.search(search, actor);
      const mine = await repositories.search(
        { accessibleTo: actor.id, sort: 'updated', descending: true, limit: recent, offset: 0 },
        actor,
      );
      return (
        <Dashboard
          name={actor.name}
          quarters={heatmapOn ? await activities.heatmap(actor.id, actor) : undefined}
          feed={await loadFeed(feed.items, { ...services, path })}
          hasMore={feed.total > feed.items.length}
          mine={mine}
          checklists={await points.checklists.open(actor)}
          waiting={(await Promise.all(points.waiting.list().map((source) => source.lists(actor, waitingItems))))
            .flat()
            .filter(({ total }) => total > 0)}
          details={await Promise.all(points.details.list().map((detail) => detail.render(props)))}
        />
      );
    },
  };
}
