import type { Repositories } from '@mortise/repositories/api';
import type { ActivityEvents, NewActivityEvent, RepositoryMoved } from '../api.js';

interface Services {
  readonly activityEvents: ActivityEvents;
  readonly repositories: Repositories;
}

export async function recordCreated(
  { repositoryId, actorId, forkOfId }: { repositoryId: number; actorId: number; forkOfId: number },
  { activityEvents, repositories }: Services,
): Promise<void> {
  const repository = await repositories.byId(repositoryId);
  if (!repository) return;
  const title = `${repository.ownerName}/${repository.name}`;
  const at = repository.createdAt;
  const list: NewActivityEvent[] = [];
  if (forkOfId)
    list.push({
      id: `fork:${repositoryId}`,
      kind: 'fork',
      action: 'created',
      // Those hear of it who listen to the repository that was forked.
      resource: { id: repositoryId, title, repositoryId: forkOfId },
      actorId,
      at,
    });
  list.push({
    id: `repository-created:${repositoryId}`,
    kind: 'repository',
    action: 'created',
    resource: { id: repositoryId, title, repositoryId, ownerId: repository.ownerId },
    actorId,
    at,
  });
  await activityEvents.record(list);
}

/** A new name or a new owner. */
export async function recordMoved(
  { repositoryId, from, to, actorId = 0 }: RepositoryMoved & { repositoryId: number; actorId?: number },
  { activityEvents }: Pick<Services, 'activityEvents'>,
): Promise<void> {
  const [oldOwner = '', oldName = ''] = from.toLowerCase().split('/');
  const [newOwner = '', newName = ''] = to.toLowerCase().split('/');
  const transferred = oldOwner !== newOwner;
  // Only written differently: it is where it was.
  if (!transferred && oldName === newName) return;
  const data: RepositoryMoved = { from, to };
  const action = transferred ? 'transferred' : 'renamed';
  const resource = { id: repositoryId, title: to, repositoryId };
  await activityEvents.record([{ kind: 'repository', action, resource, actorId, data }]);
}

export async function recordDeleted(
  event: { repositoryId: number; ownerId: number; actorId: number; record: Record<string, unknown> },
  { activityEvents }: Pick<Services, 'activityEvents'>,
): Promise<void> {
  const { repositoryId, ownerId, actorId, record } = event;
  await activityEvents.record([
    {
      id: `repository-deleted:${repositoryId}`,
      kind: 'repository',
      action: 'deleted',
      resource: { id: repositoryId, title: String(record.full_name ?? record.name ?? ''), ownerId },
      actorId,
      data: { record },
    },
  ]);
}
