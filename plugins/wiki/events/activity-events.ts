import type { ActivityEventKind, ActivityModels, ActivityEvents } from '@mortise/activity-events/api';
import { isZeroOid, type RefsUpdated } from '@mortise/git/api';
import type { Repositories } from '@mortise/repositories/api';
import { t } from '../texts/index.js';
import { titleOfName } from '../services/page-names.js';
import { wikiFact, type WikiFact } from '../services/wiki-writer.js';

interface WikiData {
  readonly comment: string;
}

interface KindDeps {
  readonly models: ActivityModels;
  readonly repositories: Repositories;
}

export const wikiKind = ({ models, repositories }: KindDeps): ActivityEventKind<WikiData> => ({
  key: 'wiki',
  label: t.later('tab'),
  description: t.later('event.note'),
  group: t.later('event.group'),
  order: 60,
  async describe(one) {
    const { actor, repository, repositoryUrl } = await models.names(one);
    const name = one.resource.title;
    const gone = one.action === 'deleted';
    return {
      title: t.later(`event.${one.action as WikiFact['action']}`, { actor, repository, page: titleOfName(name) }),
      // the name is escaped for addresses already
      url: gone ? `${repositoryUrl}/wiki` : `${repositoryUrl}/wiki/${name}`,
      tone: gone ? 'negative' : one.action === 'created' ? 'positive' : 'neutral',
    };
  },
  async payload({ action, resource, actorId, data }) {
    const repository = await repositories.byId(resource.repositoryId ?? 0);
    if (!repository) return undefined;
    return {
      action,
      repository: await models.repository(repository),
      sender: await models.user(actorId, repository.ownerId),
      page: resource.title,
      comment: data.comment,
    };
  },
});

/**
 * A change of a page by the API or on a page of the site. Pushes to a wiki are recorded to nobody, as clients of the
 * compatible service know it (hook-wiki).
 */
export async function recordWiki(
  moved: RefsUpdated,
  { activityEvents }: { readonly activityEvents: ActivityEvents },
): Promise<void> {
  const { kind, repositoryId, pusherId: actorId, at, updates } = moved;
  const fact = wikiFact.of(moved);
  if (kind !== 'wiki' || !fact) return;
  const { action, page, comment } = fact;
  const commit = updates.find((update) => !isZeroOid(update.new))?.new ?? '';
  await activityEvents.record([
    {
      id: `wiki:${repositoryId}:${at}:${commit.slice(0, 12)}:${action}:${page}`.slice(0, 191),
      kind: 'wiki',
      action,
      resource: { id: 0, title: page, repositoryId, unit: 'wiki' },
      actorId,
      at,
      data: { comment },
    },
  ]);
}
