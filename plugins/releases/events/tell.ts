import type { Accounts } from '@mortise/accounts/api';
import type { Repositories } from '@mortise/repositories/api';
import type { WebhookEvent, Webhooks } from '@mortise/webhooks/api';
import type { ReleaseEvent } from '../api.js';
import { siteActor } from '../services/ledger.js';
import type { Room } from '../services/room.js';
import { t } from '../texts/index.js';

export const releaseHookEvent: WebhookEvent = {
  key: 'release',
  label: t.later('event.label'),
  description: t.later('event.note'),
  group: t.later('event.group'),
  order: 60,
};

export interface TellParts {
  readonly webhooks: Webhooks;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly room: Room;
}

/** HOK-28: `action`, `release`, with `repository` and `sender`; nothing is told of drafts. */
export async function tellRelease(
  action: 'published' | 'updated' | 'deleted',
  event: ReleaseEvent,
  { webhooks, accounts, repositories, room }: TellParts,
  record?: Readonly<Record<string, unknown>>,
): Promise<void> {
  const repository = await repositories.byId(event.repositoryId);
  if (!repository) return;
  const release = record ? undefined : await room.reader.byId(event.releaseId);
  // Gone or taken back since: whatever followed is told by an event of its own.
  if (!record && (!release || release.isDraft)) return;
  await webhooks.announce({
    eventType: 'release',
    repositoryId: repository.id,
    once: `release-${action}:${event.releaseId}:${event.at}`,
    payload: async () => {
      const sender = event.actorId > 0 ? await accounts.byId(event.actorId) : undefined;
      return {
        action,
        release: record ?? (await room.presenter.toApi(repository, [release!]))[0],
        repository: (await repositories.toApi([repository], siteActor))[0],
        sender: sender ? accounts.toApiUser(sender, siteActor) : accounts.ghost(),
      };
    },
  });
}
