import type { Site } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import { repositoryHome, type Repositories } from '@mortise/repositories/api';
import { excerptOf, type SearchKind } from '../api.js';
import { t } from '../texts/index.js';

export const repositorySearchKind = ({
  repositories,
  site,
}: {
  repositories: Repositories;
  site: Site;
}): SearchKind => ({
  key: 'repositories',
  label: t.later('repositories'),
  icon: 'repo',
  order: 10,
  async search({ text, actor, limit, offset }) {
    const search = { text, includeDescription: true, sort: 'updated', descending: true, limit, offset } as const;
    const { items, total } = await repositories.search(search, actor);
    return {
      total,
      items: items.map((repository) => ({
        href: repositoryHome(site, repository),
        title: `${repository.ownerName}/${repository.name}`,
        icon: repository.isPrivate ? 'lock' : 'repo',
        iconLabel: t.later(repository.isPrivate ? 'isPrivate' : 'isPublic'),
        excerpt: excerptOf(repository.description, text),
        at: repository.updatedAt,
      })),
    };
  },
});

/** People and organizations, by name. */
export const accountSearchKind = ({ accounts, site }: { accounts: Accounts; site: Site }): SearchKind => ({
  key: 'people',
  label: t.later('people'),
  icon: 'people',
  order: 70,
  async search({ text, actor, limit, offset }) {
    const { items, total } = await accounts.search({ text, visibleTo: actor, sort: 'name', limit, offset });
    return {
      total,
      items: items.map(({ kind, name, fullName, description }) => ({
        href: site.path(`/${name}`),
        title: fullName ? `${name} (${fullName})` : name,
        icon: kind === 'organization' ? 'organization' : 'person',
        iconLabel: t.later(kind === 'organization' ? 'isOrganization' : 'isPerson'),
        excerpt: excerptOf(description, text),
      })),
    };
  },
});
