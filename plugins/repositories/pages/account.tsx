import { icon, type Actor, type Site, type Slot, Pager, lastPage } from '@mortise/plugin-sdk';
import type { ProfileTab } from '@mortise/accounts/api';
import type { RepositoryPages } from '../api.js';
import type { Room } from '../services/room.js';
import { SearchForm, searchHref, searchOf } from './search.js';

const perPage = 20;

const tabs = {
  repositories: { label: 'Repositories', icon: 'repo', order: 10 },
  stars: { label: 'Stars', icon: 'star', order: 60 },
} as const;

/** On the profile page: what the account owns, and what it has starred. */
export function profileTabOf(key: keyof typeof tabs, room: Room, pages: RepositoryPages): ProfileTab {
  return {
    key,
    ...tabs[key],
    async render({ account, actor, query }) {
      const page = Math.max(1, Math.floor(Number(query.page)) || 1);
      const whose = key === 'stars' ? { starredBy: account.id } : { ownerId: account.id, exclusive: true };
      const { items, total } = await room.repositories.search(
        { ...searchOf(query), ...whose, limit: perPage, offset: (page - 1) * perPage },
        actor,
      );
      return (
        <div>
          <SearchForm query={query} keep={{ tab: key }} />
          {pages.list(items)}
          <Pager page={page} last={lastPage(total, perPage)} href={(to) => searchHref(query, to, { tab: key })} />
        </div>
      );
    },
  };
}

/** `/` of a signed-in user: the repositories to work on. */
export function dashboard(
  room: Room,
  pages: RepositoryPages,
  site: Site,
): Slot<{ actor: Actor; csrf: string }> & { key: string } {
  return {
    key: 'repositories',
    order: 50,
    async render({ actor }) {
      if (actor.kind !== 'user') return null;
      const { items, total } = await room.repositories.search(
        { accessibleTo: actor.id, sort: 'updated', descending: true, limit: perPage, offset: 0 },
        actor,
      );
      return (
        <div>
          <div class="d-flex flex-wrap flex-items-center mb-2" style="gap: 8px">
            <h1 class="f2 flex-auto">
              Your repositories <span class="Counter">{total}</span>
            </h1>
            <a class="btn btn-primary" href={site.path('/repo/create')}>
              {icon('plus')} New repository
            </a>
          </div>
          <form class="d-flex mb-2" style="gap: 8px" role="search" action={site.path('/user/repositories')}>
            <input
              class="form-control flex-auto"
              type="search"
              name="q"
              placeholder="Find one of yours"
              aria-label="Search"
            />
            <button class="btn" type="submit">
              Search
            </button>
          </form>
          {pages.list(items)}
          {total > items.length ? (
            <p class="mt-3">
              <a href={site.path('/user/repositories')}>All {total} repositories</a>
            </p>
          ) : null}
        </div>
      );
    },
  };
}
