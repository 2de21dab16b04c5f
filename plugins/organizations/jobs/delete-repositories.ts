import { anonymous, defineJob } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Repositories } from '@mortise/repositories/api';

/** Deletes all repositories that an organization has. */
export const deleteRepositories = defineJob<{ organizationId: number; actorId: number }>(
  'organizations.deleteRepositories',
);

export async function deleteAll(
  { organizationId, actorId }: { organizationId: number; actorId: number },
  services: { accounts: Accounts; repositories: Repositories },
): Promise<void> {
  const owner = await services.accounts.byId(organizationId);
  const actor = await services.accounts.byId(actorId);
  if (!owner || !actor) return;
  const search = { ownerId: organizationId, exclusive: true, sort: 'id', limit: 50, offset: 0 } as const;
  // Whatever the actor may see by now: what was asked for was allowed then.
  const seeing = { ...anonymous, kind: 'user', id: actor.id, name: actor.name, isAdmin: true } as const;
  for (;;) {
    const { items } = await services.repositories.search(search, seeing);
    if (items.length === 0) return;
    const records = await services.repositories.toApi(items, seeing);
    for (const [at, repository] of items.entries())
      await services.repositories.delete(repository, actor.id, records[at]);
  }
}
