import type { VNode } from 'preact';
import { icon, type Site, type Slot } from '@mortise/plugin-sdk';
import type { Repositories, RepositoryAccess, RepositoryPageContext } from '@mortise/repositories/api';
import { mayRead } from '../services/may-read.js';
import { encodePath } from '../contract/pages.js';
import { t } from '../texts/index.js';

interface Deps {
  readonly repositories: Pick<Repositories, 'byId'>;
  readonly repositoryAccess: RepositoryAccess;
  readonly site: Site;
}

/** Beside the files of a fork: what it has that its parent has not. */
export const compareSlot = ({ repositories, repositoryAccess, site }: Deps): Slot<RepositoryPageContext> => ({
  key: 'history.compare',
  order: 15,
  async render({ context: { repository }, actor }) {
    const parent = repository.forkOfId ? await repositories.byId(repository.forkOfId) : undefined;
    if (!parent || !(await mayRead(repositoryAccess, actor, parent))) return null;
    const text = `${parent.ownerName}/${parent.name}`;
    const range = `${parent.defaultBranch}...${repository.ownerName}/${repository.name}:${repository.defaultBranch}`;
    return <CompareLink href={`${site.path(`/${text}`)}/compare/${encodePath(range)}`} name={text} />;
  },
});

const CompareLink = ({ href, name }: { href: string; name: string }): VNode => (
  <p class="mb-3">
    <a href={href}>
      {icon('git-compare')} {t('compare.with', { name })}
    </a>
  </p>
);
