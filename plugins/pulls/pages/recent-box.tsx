import type { VNode } from 'preact';
import { Ago, icon, type Slot } from '@mortise/plugin-sdk';
import { repositoryHome, type RepositoryPageContext } from '@mortise/repositories/api';
import type { RecentPush } from '../services/recent-pushes.js';
import { newPullHref } from './new-pull.js';
import type { PageDeps } from './page-context.js';
import { t } from '../texts/index.js';

const RecentBox = ({
  pushes,
  hrefOf,
}: {
  pushes: readonly RecentPush[];
  hrefOf: (one: RecentPush) => string;
}): VNode => (
  <section class="mb-3" aria-label={t('recent.title')}>
    <h2 class="f5 mb-2">{t('recent.title')}</h2>
    <ul class="Box list-style-none">
      {pushes.map((one) => (
        <li class="Box-row p-2">
          <p class="mb-2 wb-break-word">
            <span class="text-mono text-bold">{one.branch}</span>{' '}
            <span class="color-fg-muted f6">
              <Ago time={one.pushedAt} />
            </span>
          </p>
          <a class="btn btn-sm btn-primary" href={hrefOf(one)}>
            {icon('git-pull-request')} {t('recent.propose')}
          </a>
        </li>
      ))}
    </ul>
  </section>
);

/** On the home page of a repository, and above its pull requests: what the visitor pushed a while ago and may want to propose. */
export const recentBox = (deps: PageDeps): Slot<RepositoryPageContext> => ({
  key: 'pulls.recent',
  order: 5,
  async render({ context, actor }) {
    const { repository } = context;
    if (actor.kind !== 'user' || repository.isArchived || !context.may('read', 'pulls')) return null;
    if (!context.may('read', 'code')) return null;
    const pushes = await deps.pullServices.recent.of(repository, actor);
    if (!pushes.length) return null;
    const repositoryPath = repositoryHome(deps.site, repository);
    const labelOf = (one: RecentPush) =>
      one.repository.id === repository.id
        ? one.branch
        : `${one.repository.ownerName}/${one.repository.name}:${one.branch}`;
    return (
      <RecentBox
        pushes={pushes}
        hrefOf={(one) => newPullHref(repositoryPath, repository.defaultBranch, labelOf(one))}
      />
    );
  },
});
