import type { StoredSubject } from '@mortise/accounts/api';
import type { Repositories } from '@mortise/repositories/api';
import type { QuotaLimit } from '../services/quota-limit.js';

/** What a repository brings to a new owner, beside itself. */
const brought: readonly StoredSubject[] = [
  'size:git:lfs',
  'size:wiki',
  'size:assets:attachments:issues',
  'size:assets:attachments:releases',
  'size:assets:artifacts',
];

const ownerOf = (path: string): string => path.slice(0, path.indexOf('/')).toLowerCase();

/** A repository that has got a new owner must have room there. In the transaction of the transfer. */
export async function checkTransfer(
  services: { readonly quotaLimit: QuotaLimit; readonly repositories: Pick<Repositories, 'byId'> },
  { repositoryId, from, to }: { readonly repositoryId: number; readonly from: string; readonly to: string },
): Promise<void> {
  if (ownerOf(from) === ownerOf(to)) return;
  const repository = await services.repositories.byId(repositoryId);
  if (!repository) return;
  const { ownerId, isPrivate } = repository;
  await services.quotaLimit.checkTransferred(ownerId, [`size:repos:${isPrivate ? 'private' : 'public'}`, ...brought]);
}
