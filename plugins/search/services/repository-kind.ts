import type { Site } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import { repositoryHome, type Repositories } from '@mortise/repositories/api';
import { excerptOf, type SearchKind } from '../api.js';
import { t } from '../texts/index.js';

export const repositorySearchKind = ({
  accounts,
  repositories,
  site,
}: {
  accounts: Pick<Accounts, 'byName'>;
  repositories: Repositories;
  site: Site;
}): SearchKind => ({
  key: 'repositories',
  label: t.later('repositories'),
  icon: 'repo',
  order: 10,
  filters: [
    { key: 'owner', label: t.later('filter.owner') },
    { key: 'language', label: t.later('filter.language') },
    {
      key: 'visibility',
      label: t.later('filter.visibility'),
      options: [
        { value: 'public', label: t.later('isPublic') },
        { value: 'private', label: t.later('isPrivate') },
      ],
    },
    {
      key: 'state',
      label: t.later('filter.state'),
      options: [
        { value: 'active', label: t.later('filter.active') },
        { value: 'archived', label: t.later('filter.archived') },
      ],
    },
  ],
  async search({ text, actor, filters, limit, offset }) {
    const { owner, language, visibility, state } = filters;
    const account = owner ? await accounts.byName(owner) : undefined;
    if (owner && !account) return { items: [], total: 0 };
    const { items, total } = await repositories.search(
      {
        text,
        includeDescription: true,
        ...(account && { ownerIds: [account.id] }),
        ...(language && { language }),
        ...(visibility && { isPrivate: visibility === 'private' }),
        ...(state && { isArchived: state === 'archived' }),
        sort: 'updated',
        descending: true,
        limit,
        offset,
      },
      actor,
    );
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

const accountKinds = ['user', 'organization'] as const;

/** People and organizations, by name. */
export const accountSearchKind = ({ accounts, site }: { accounts: Accounts; site: Site }): SearchKind => ({
  key: 'people',
  label: t.later('people'),
  icon: 'people',
  order: 70,
  filters: [
    {
      key: 'kind',
      label: t.later('filter.kind'),
      options: [
        { value: 'user', label: t.later('isPerson') },
        { value: 'organization', label: t.later('isOrganization') },
      ],
    },
  ],
  async search({ text, actor, filters, limit, offset }) {
    const kind = accountKinds.find((one) => one === filters.kind);
    const { items, total } = await accounts.search({
      text,
      ...(kind && { kind }),
      visibleTo: actor,
      sort: 'name',
      limit,
      offset,
    });
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
