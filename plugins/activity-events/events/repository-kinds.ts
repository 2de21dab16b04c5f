import type { Text } from '@mortise/plugin-sdk';
import type { ActivityEventKind, RepositoryMoved } from '../api.js';
import { t } from '../texts/index.js';
import type { Deps } from './reference-kinds.js';

const group = t.later('event.group');

export const forkKind = ({ models, repositories }: Deps): ActivityEventKind => ({
  key: 'fork',
  label: t.later('event.fork'),
  description: t.later('event.forkNote'),
  group,
  order: 40,
  async describe(one) {
    const { actor, repository, repositoryUrl } = await models.names(one);
    const fork = await repositories.byId(one.resource.id);
    const title = t.later('line.fork', { actor, repository, fork: one.resource.title });
    return { title, url: fork ? repositories.htmlUrl(fork) : repositoryUrl, tone: 'positive' };
  },
  async payload({ resource, actorId }) {
    const [source, fork] = [await repositories.byId(resource.repositoryId ?? 0), await repositories.byId(resource.id)];
    if (!source || !fork) return undefined;
    return {
      forkee: await models.repository(source),
      repository: await models.repository(fork),
      sender: await models.user(actorId, fork.ownerId),
    };
  },
});

type RepositoryData = Partial<RepositoryMoved> & { readonly record?: Readonly<Record<string, unknown>> };

export const repositoryKind = ({ models, repositories }: Deps): ActivityEventKind<RepositoryData> => ({
  key: 'repository',
  label: t.later('event.repository'),
  description: t.later('event.repositoryNote'),
  group,
  order: 50,
  async describe(one) {
    const { actor, repositoryUrl } = await models.names(one);
    const values = { actor, repository: one.resource.title, from: one.data.from ?? '' };
    const title: Text | undefined = {
      created: t.later('line.repositoryCreated', values),
      deleted: t.later('line.repositoryDeleted', values),
      renamed: t.later('line.repositoryRenamed', values),
      transferred: t.later('line.repositoryTransferred', values),
    }[one.action];
    const tones = { created: 'positive', deleted: 'negative' } as const;
    return title && { title, url: repositoryUrl, tone: tones[one.action as keyof typeof tones] ?? 'neutral' };
  },
  /** Receivers on the REST surface know of two actions. */
  async payload({ action, resource, actorId, data }) {
    const repository = action === 'created' ? await repositories.byId(resource.id) : undefined;
    const record = repository ? await models.repository(repository) : action === 'deleted' ? data.record : undefined;
    const ownerId = repository?.ownerId ?? resource.ownerId;
    if (!record || !ownerId) return undefined;
    return {
      action,
      repository: record,
      organization: await models.user(ownerId),
      sender: await models.user(actorId, ownerId),
    };
  },
});
