import { isZeroOid, type RefsUpdated } from '@mortise/git/api';
import type { Repositories } from '@mortise/repositories/api';
import type { WebhookEvent, Webhooks } from '../api.js';
import type { Payloads } from '../services/payloads.js';
import { t } from '../texts/index.js';

/** The events that this plugin tells itself. */
export const ownEvents: readonly WebhookEvent[] = [
  {
    key: 'push',
    label: t.later('event.push'),
    description: t.later('event.pushNote'),
    group: t.later('event.group'),
    order: 10,
    filtered: true,
  },
  {
    key: 'create',
    label: t.later('event.create'),
    description: t.later('event.createNote'),
    group: t.later('event.group'),
    order: 20,
    filtered: true,
  },
  {
    key: 'delete',
    label: t.later('event.delete'),
    description: t.later('event.deleteNote'),
    group: t.later('event.group'),
    order: 30,
    filtered: true,
  },
  {
    key: 'fork',
    label: t.later('event.fork'),
    description: t.later('event.forkNote'),
    group: t.later('event.group'),
    order: 40,
  },
  {
    key: 'repository',
    label: t.later('event.repository'),
    description: t.later('event.repositoryNote'),
    group: t.later('event.group'),
    order: 50,
  },
];

export interface TellParts {
  readonly webhooks: Webhooks;
  readonly payloads: Payloads;
  readonly repositories: Repositories;
}

/** A push becomes `push`, `create` and `delete`, one for each reference (git-effects). */
export async function tellPush(pushed: RefsUpdated, { webhooks, payloads, repositories }: TellParts): Promise<void> {
  if (pushed.kind !== 'code') return;
  const repository = await repositories.byId(pushed.repositoryId);
  if (!repository) return;
  for (const update of pushed.updates) {
    const isTag = update.ref.startsWith('refs/tags/');
    if (!isTag && !update.ref.startsWith('refs/heads/')) continue;
    const once = `${pushed.at}:${update.old.slice(0, 12)}:${update.new.slice(0, 12)}:${update.ref}`.slice(0, 170);
    const common = { repositoryId: repository.id, ref: update.ref };
    if (isZeroOid(update.old)) {
      await webhooks.announce({
        ...common,
        eventType: 'create',
        once: `create:${once}`,
        payload: () => payloads.create(repository, update, pushed.pusherId),
      });
    }
    if (isTag || !isZeroOid(update.new)) {
      await webhooks.announce({
        ...common,
        eventType: 'push',
        once: `push:${once}`,
        payload: () => payloads.push(repository, update, pushed.pusherId),
      });
    }
    if (isZeroOid(update.new)) {
      await webhooks.announce({
        ...common,
        eventType: 'delete',
        once: `delete:${once}`,
        payload: () => payloads.delete(repository, update, pushed.pusherId),
      });
    }
  }
}

export async function tellCreated(
  { repositoryId, actorId, forkOfId }: { repositoryId: number; actorId: number; forkOfId: number },
  { webhooks, payloads, repositories }: TellParts,
): Promise<void> {
  const repository = await repositories.byId(repositoryId);
  if (!repository) return;
  const source = forkOfId ? await repositories.byId(forkOfId) : undefined;
  if (source) {
    await webhooks.announce({
      eventType: 'fork',
      repositoryId: source.id,
      once: `fork:${repositoryId}`,
      payload: async () => ({
        forkee: await payloads.repository(source),
        repository: await payloads.repository(repository),
        sender: await payloads.user(actorId, repository.ownerId),
      }),
    });
  }
  await webhooks.announce({
    eventType: 'repository',
    repositoryId,
    once: `repository-created:${repositoryId}`,
    payload: async () => ({
      action: 'created',
      repository: await payloads.repository(repository),
      organization: await payloads.user(repository.ownerId),
      sender: await payloads.user(actorId, repository.ownerId),
    }),
  });
}

export async function tellDeleted(
  {
    repositoryId,
    ownerId,
    actorId,
    record,
  }: { repositoryId: number; ownerId: number; actorId: number; record: Record<string, unknown> },
  { webhooks, payloads }: Omit<TellParts, 'repositories'>,
): Promise<void> {
  await webhooks.announce({
    eventType: 'repository',
    ownerId,
    once: `repository-deleted:${repositoryId}`,
    payload: async () => ({
      action: 'deleted',
      repository: record,
      organization: await payloads.user(ownerId),
      sender: await payloads.user(actorId, ownerId),
    }),
  });
}
