import type { Site } from '@mortise/plugin-sdk';
import { repositoryHome, type Repositories } from '@mortise/repositories/api';
import { excerptOf, type SearchKind } from '../api.js';
import { t } from '../texts/index.js';

export const repositoryKind = ({ repositories, site }: { repositories: Repositories; site: Site }): SearchKind => ({
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
