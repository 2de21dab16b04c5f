import { icon, type Actor, type Site, type Slot } from '@mortise/plugin-sdk';
import type { ProfileTab } from '@mortise/accounts/api';
import type { Repositories, RepositoryPages } from '../api.js';

const perPage = 20;

/** On the profile page: what the account owns. */
export const ownedTab = (pages: RepositoryPages): ProfileTab => ({
  key: 'repositories',
  label: 'Repositories',
  icon: 'repo',
  order: 10,
  render: ({ account, actor, query }) =>
    pages.searchable({
      actor,
      query,
      among: { ownerId: account.id, exclusive: true },
      keep: { tab: 'repositories' },
    }),
});

/** `/` of a signed-in user: the repositories to work on. */
export function dashboard(
  repositories: Pick<Repositories, 'search'>,
  pages: RepositoryPages,
  site: Site,
): Slot<{ actor: Actor; csrf: string }> & { key: string } {
  return {
    key: 'repositories',
    order: 50,
    async render({ actor }) {
      if (actor.kind !== 'user') return null;
      const { items, total } = await repositories.search(
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
