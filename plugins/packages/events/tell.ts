import { apiTime, taskActor } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Repositories } from '@mortise/repositories/api';
import type { WebhookEvent, Webhooks } from '@mortise/webhooks/api';
import type { PackageEvent, PackageStore } from '../api.js';
import { pathSegment } from '../services/store.js';
import { t } from '../texts/index.js';

export const packageHookEvent: WebhookEvent = {
  key: 'package',
  label: t.later('event.label'),
  description: t.later('event.note'),
  group: t.later('event.group'),
  order: 300,
};

/** Payloads are written as the site sees things. */
const siteActor = taskActor('packages');

export interface TellParts {
  readonly webhooks: Webhooks;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly store: PackageStore;
}

/** HOK-20: to hooks of the linked repository, of the owner and of the system. */
export async function tellPackage(
  action: 'created' | 'deleted',
  event: PackageEvent,
  { webhooks, accounts, repositories, store }: TellParts,
): Promise<void> {
  const owner = await accounts.byId(event.ownerId);
  if (!owner) return;
  await webhooks.announce({
    eventType: 'package',
    ownerId: owner.id,
    ...(event.repositoryId ? { repositoryId: event.repositoryId } : {}),
    once: `package-${action}:${event.versionId}`,
    payload: async () => {
      const people = await accounts.byIds([event.creatorId, event.actorId]);
      const person = (id: number) => {
        const account = people.get(id);
        return account ? accounts.toApiUser(account, siteActor) : accounts.ghost();
      };
      const repository = event.repositoryId ? await repositories.byId(event.repositoryId) : undefined;
      const shown = repository ? (await repositories.toApi([repository], siteActor))[0]! : null;
      const apiOwner = accounts.toApiUser(owner, siteActor);
      const home = store.htmlUrl(owner, { type: event.type, lowerName: event.name.toLowerCase() } as Parameters<
        PackageStore['htmlUrl']
      >[1]);
      return {
        action,
        repository: shown,
        package: {
          id: event.versionId,
          owner: apiOwner,
          repository: shown,
          creator: person(event.creatorId),
          type: event.type,
          name: event.name,
          version: event.version,
          html_url: `${home}/${pathSegment(event.version.toLowerCase())}`,
          created_at: apiTime(event.createdAt),
        },
        organization: owner.kind === 'organization' ? apiOwner : null,
        sender: person(event.actorId),
      };
    },
  });
}
