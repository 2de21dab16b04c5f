import { icon, type Actor, type Site, type Slot, Pager, lastPage } from '@mortise/plugin-sdk';
import type { Accounts, ProfileTab } from '@mortise/accounts/api';
import type { Repositories } from '@mortise/repositories/api';
import type { VNode } from 'preact';
import type { Activities } from '../api.js';
import { feedList } from './feed.js';
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

const pageOf = (given: string | undefined) => Math.min(100_000, Math.max(1, Math.floor(Number(given)) || 1));

const rss = (href: string): VNode => (
  <a class="btn btn-sm" href={href} type="application/rss+xml">
    {icon('rss')} RSS
  </a>
);

/** What an account did, on its profile. */
export function activityTab(services: Services, { perPage, heatmapOn, feedsOn }: Options): ProfileTab {
  const { activities, site } = services;
  const path = (to: string) => site.path(to);
  return {
    key: 'activity',
    label: 'Activity',
    icon: 'pulse',
    order: 20,
    async render({ account, actor, query }) {
      const page = pageOf(query.page);
      const onlyPerformedBy = account.kind === 'user';
      const search = { userId: account.id, onlyPerformedBy, limit: perPage, offset: (page - 1) * perPage };
      const { items, total } = await activities.search(search, actor);
      const hidden = account.hideActivity && actor.id !== account.id && !actor.isAdmin;
      return (
        <div>
          {heatmapOn && !hidden ? <Heatmap quarters={await activities.heatmap(account.id, actor)} /> : null}
          <div class="d-flex flex-items-center mb-2">
            <h2 class="f4 text-normal flex-auto">What {account.name} did</h2>
            {feedsOn ? rss(path(`/${account.name}.rss`)) : null}
          </div>
          {await feedList(
            items,
            { ...services, path },
            hidden ? `${account.name} keeps this private.` : 'Nothing has happened yet.',
          )}
          <Pager
            page={page}
            last={lastPage(total, perPage)}
            href={(to) => path(`/${account.name}?tab=activity&page=${to}`)}
            words={['Newer', 'Older']}
          />
        </div>
      );
    },
  };
}

const recent = 12;

/** `/` of a signed-in user: what happened around it, and its repositories beside that. */
export function dashboard(
  services: Services,
  { perPage, heatmapOn }: Options,
): Slot<{ actor: Actor; csrf: string }> & { key: string } {
  const { activities, repositories, site } = services;
  const path = (to: string) => site.path(to);
  return {
    key: 'activity',
    order: 40,
    async render({ actor }) {
      if (actor.kind !== 'user') return null;
      const feed = await activities.search({ userId: actor.id, limit: perPage, offset: 0 }, actor);
      const mine = await repositories.search(
        { accessibleTo: actor.id, sort: 'updated', descending: true, limit: recent, offset: 0 },
        actor,
      );
      return (
        <div>
          <h1 class="f2 mb-3">Dashboard</h1>
          <div class="d-md-flex flex-row-reverse" style="gap: 24px">
            <section class="col-12 col-md-4 mb-4" aria-labelledby="dashboard-repositories">
              <div class="d-flex flex-items-center mb-2" style="gap: 8px">
                <h2 class="f4 flex-auto" id="dashboard-repositories">
                  Your repositories <span class="Counter">{mine.total}</span>
                </h2>
                <a class="btn btn-primary btn-sm" href={path('/repo/create')}>
                  {icon('plus')} New
                  <span class="sr-only"> repository</span>
                </a>
              </div>
              {mine.total === 0 ? (
                <div class="blankslate border rounded-2">
                  <p class="mb-0">Make your first one, or look around under Explore.</p>
                </div>
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
                      <a href={path('/user/repositories')}>All {mine.total} repositories</a>
                    </li>
                  ) : null}
                </ul>
              )}
            </section>
            <div class="col-12 col-md-8 min-width-0">
              {heatmapOn ? <Heatmap quarters={await activities.heatmap(actor.id, actor)} /> : null}
              <h2 class="f4 text-normal mb-2">What happened</h2>
              {await feedList(
                feed.items,
                { ...services, path },
                'What you and others do in repositories that you own or watch shows up here.',
              )}
              {feed.total > feed.items.length ? (
                <p class="mt-3">
                  <a href={path(`/${actor.name}?tab=activity`)}>All that you did</a>
                </p>
              ) : null}
            </div>
          </div>
        </div>
      );
    },
  };
}
