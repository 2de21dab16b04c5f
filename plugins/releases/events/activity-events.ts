import type { ActivityEventKind, ActivityModels, ActivityEvents } from '@mortise/activity-events/api';
import type { Repositories } from '@mortise/repositories/api';
import type { ReleaseEvent } from '../contract/releases.js';
import type { ReleaseServices } from '../services/services.js';
import { t } from '../texts/index.js';

interface ReleaseData {
  /** Model `Release` as it was, of one that was deleted. */
  readonly record?: Readonly<Record<string, unknown>>;
}

type ReleaseAction = 'published' | 'updated' | 'deleted';

/** Nothing is recorded of drafts. */
export async function recordRelease(
  action: ReleaseAction,
  event: ReleaseEvent & { readonly isDraft?: boolean } & ReleaseData,
  { activityEvents }: { readonly activityEvents: ActivityEvents },
): Promise<void> {
  if (event.isDraft) return;
  const { repositoryId, releaseId, tagName, actorId, at, record } = event;
  await activityEvents.record([
    {
      id: `release-${action}:${releaseId}:${at}`,
      kind: 'release',
      action,
      resource: {
        id: releaseId,
        title: event.title || tagName,
        ref: `refs/tags/${tagName}`,
        repositoryId,
        unit: 'releases',
      },
      actorId,
      at,
      data: record ? { record } : {},
    },
  ]);
}

interface KindDeps {
  readonly models: ActivityModels;
  readonly repositories: Repositories;
  readonly releaseServices: ReleaseServices;
}

/** HOK-28: `action`, `release`, with `repository` and `sender`. */
export const releaseKind = ({ models, repositories, releaseServices }: KindDeps): ActivityEventKind<ReleaseData> => ({
  key: 'release',
  label: t.later('event.label'),
  description: t.later('event.note'),
  group: t.later('event.group'),
  order: 60,
  async describe(one) {
    const { actor, repository, repositoryUrl } = await models.names(one);
    const release = await releaseServices.reader.byId(one.resource.id);
    const found = release && (await repositories.byId(release.repositoryId));
    return {
      title: t.later(`event.${one.action as ReleaseAction}`, { actor, repository, title: one.resource.title }),
      url: release && found ? releaseServices.presenter.htmlUrl(found, release) : repositoryUrl,
      tone: one.action === 'published' ? 'positive' : one.action === 'deleted' ? 'negative' : 'neutral',
    };
  },
  async payload({ action, resource, actorId, data }) {
    const repository = await repositories.byId(resource.repositoryId ?? 0);
    if (!repository) return undefined;
    const release = data.record ? undefined : await releaseServices.reader.byId(resource.id);
    // Gone or taken back since: whatever followed is recorded by itself.
    if (!data.record && (!release || release.isDraft)) return undefined;
    return {
      action,
      release: data.record ?? (await releaseServices.presenter.toApi(repository, [release!]))[0],
      repository: await models.repository(repository),
      sender: await models.user(actorId),
    };
  },
});
