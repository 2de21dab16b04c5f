import { apiTime, type PointReader } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { ActivityEventKind, ActivityModels, ActivityEvents } from '@mortise/activity-events/api';
import type { Repositories } from '@mortise/repositories/api';
import type { PackageStore } from '../api.js';
import type { PackageEvent } from '../contract/packages.js';
import type { PackageOwnerModel } from '../contract/access.js';
import { pathSegment } from '../services/store.js';
import { t } from '../texts/index.js';

export async function recordPackage(
  action: 'created' | 'deleted',
  event: PackageEvent,
  { activityEvents }: { readonly activityEvents: ActivityEvents },
): Promise<void> {
  await activityEvents.record([
    {
      id: `package-${action}:${event.versionId}`,
      kind: 'package',
      action,
      resource: {
        id: event.versionId,
        title: event.name,
        ownerId: event.ownerId,
        ...(event.repositoryId ? { repositoryId: event.repositoryId, unit: 'packages' } : {}),
      },
      actorId: event.actorId,
      data: event,
    },
  ]);
}

interface KindDeps {
  readonly models: ActivityModels;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly store: PackageStore;
  readonly ownerModel: PointReader<PackageOwnerModel>;
}

/** HOK-20: to hooks of the linked repository, of the owner and of the system. */
export const packageKind = (deps: KindDeps): ActivityEventKind<PackageEvent> => ({
  key: 'package',
  label: t.later('event.label'),
  description: t.later('event.note'),
  group: t.later('event.group'),
  order: 300,
  async describe({ action, data }) {
    const actor = (await deps.models.user(data.actorId)).login;
    const values = { actor, name: data.name, version: data.version };
    const isNew = action === 'created';
    return {
      title: isNew ? t.later('event.created', values) : t.later('event.deleted', values),
      url: await pageOf(data, deps),
      tone: isNew ? 'positive' : 'negative',
    };
  },
  async payload({ action, data }) {
    const { models, accounts, repositories } = deps;
    const owner = await accounts.byId(data.ownerId);
    if (!owner) return undefined;
    const repository = data.repositoryId ? await repositories.byId(data.repositoryId) : undefined;
    const shown = repository ? await models.repository(repository) : null;
    const isOrganization = owner.kind === 'organization';
    const organization = isOrganization ? await deps.ownerModel.list()[0]?.organization(owner.id) : undefined;
    return {
      action,
      // receivers know the linked one from the package
      repository: null,
      package: {
        id: data.versionId,
        owner: await models.user(owner.id),
        repository: shown,
        creator: await models.user(data.creatorId),
        type: data.type,
        name: data.name,
        version: data.version,
        html_url: await pageOf(data, deps),
        created_at: apiTime(data.createdAt),
      },
      organization: organization ?? null,
      sender: await models.user(data.actorId),
    };
  },
});

async function pageOf({ ownerId, type, name, version }: PackageEvent, { accounts, store }: KindDeps): Promise<string> {
  const owner = await accounts.byId(ownerId);
  if (!owner) return '';
  const home = store.htmlUrl(owner, { type, lowerName: name.toLowerCase() } as Parameters<PackageStore['htmlUrl']>[1]);
  return `${home}/${pathSegment(version.toLowerCase())}`;
}
