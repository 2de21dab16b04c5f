import type { VNode } from 'preact';
import { formatNumber, icon, type Actor, type Site, type Slot } from '@mortise/plugin-sdk';
import type { ProfileTab } from '@mortise/accounts/api';
import type { Repositories, Repository, RepositoryPages } from '../api.js';
import { t } from '../texts/index.js';

const perPage = 20;

/** On the profile page: what the account owns. */
export const ownedTab = (pages: RepositoryPages): ProfileTab => ({
  key: 'repositories',
  label: t.later('menu.repositories'),
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
): Slot<{ actor: Actor }> & { key: string } {
  return {
    key: 'repositories',
    order: 50,
    async render({ actor }) {
      if (actor.kind !== 'user') return null;
      const { items, total } = await repositories.search(
        { accessibleTo: actor.id, sort: 'updated', descending: true, limit: perPage, offset: 0 },
        actor,
      );
      return <OwnRepositories items={items} total={total} pages={pages} site={site} />;
    },
  };
}

function OwnRepositories(props: {
  items: readonly Repository[];
  total: number;
  pages: RepositoryPages;
  site: Site;
}): VNode {
  const { items, total, pages, site } = props;
  return (
    <div>
      <OwnHead total={total} site={site} />
      <form class="d-flex mb-2 gap-2" role="search" action={site.path('/user/repositories')}>
        <input
          class="form-control flex-auto min-width-0"
          type="search"
          name="q"
          placeholder={t('mine.find')}
          aria-label={t('mine.find')}
        />
        <button class="btn" type="submit">
          {t('repo.search')}
        </button>
      </form>
      {pages.list(items)}
      {total > items.length ? (
        <p class="mt-3">
          <a href={site.path('/user/repositories')}>{t('mine.all', { count: total })}</a>
        </p>
      ) : null}
    </div>
  );
}

/** The heading of what the visitor owns, with the way to a new one. */
export const OwnHead = ({ total, site }: { total: number; site: Site }): VNode => (
  <div class="d-flex flex-wrap flex-items-center mb-2 gap-2">
    <h1 class="f2 flex-auto">
      {t('mine.title')} <span class="Counter">{formatNumber(total)}</span>
    </h1>
    <a class="btn btn-primary" href={site.path('/repo/create')}>
      {icon('plus')} {t('mine.new')}
    </a>
  </div>
);
