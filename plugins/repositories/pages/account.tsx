import { icon, type Actor, type Site, type Slot } from '@mortise/plugin-sdk';
import type { ProfileTab } from '@mortise/accounts/api';
import type { RepositoryPages } from '../api.js';
import type { Room } from '../services/room.js';
import { Pager } from './layout.js';

const perPage = 20;

/** Repositories on the profile page. */
export function profileTab(room: Room, pages: RepositoryPages): ProfileTab {
  return {
    key: 'repositories',
    label: 'Repositories',
    icon: 'repo',
    order: 10,
    async render({ account, actor, query }) {
      const page = Math.max(1, Math.floor(Number(query.page)) || 1);
      const { items, total } = await room.repositories.search(
        {
          ownerId: account.id,
          exclusive: true,
          sort: 'updated',
          descending: true,
          limit: perPage,
          offset: (page - 1) * perPage,
        },
        actor,
      );
      return (
        <div>
          {pages.list(items)}
          <Pager page={page} limit={perPage} total={total} href={(to) => `?tab=repositories&page=${to}`} />
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
          <div class="d-flex flex-items-center mb-2">
            <h1 class="f2 flex-auto">
              Your repositories <span class="Counter">{total}</span>
            </h1>
            <a class="btn btn-primary" href={site.path('/repo/create')}>
              {icon('plus')} New repository
            </a>
          </div>
          {pages.list(items)}
        </div>
      );
    },
  };
}
