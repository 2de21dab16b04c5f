import type { Repositories } from '@mortise/repositories/api';
import type { QuotaLimit } from '../services/quota-limit.js';

/**
 * A repository that became private, or everybody's, must have room among those of its owner. Forks go along unasked: their
 * owners cannot keep it from becoming private. In the transaction of the change.
 */
export async function checkVisibility(
  services: { readonly quotaLimit: QuotaLimit; readonly repositories: Pick<Repositories, 'byId'> },
  { repositoryIds, isPrivate }: { readonly repositoryIds: readonly number[]; readonly isPrivate: boolean },
): Promise<void> {
  const [first] = repositoryIds;
  const repository = first && (await services.repositories.byId(first));
  if (!repository) return;
  const [open, closed] = ['size:repos:public', 'size:repos:private'] as const;
  await services.quotaLimit.checkMoved(repository.ownerId, isPrivate ? open : closed, isPrivate ? closed : open);
}
