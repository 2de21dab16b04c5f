import type { GitStore } from '@mortise/git/api';
import type { Repositories } from './repositories.js';

/** After work that may have outlived its repository: deletes what came into the place of one that is gone. */
export async function removeOrphans(
  repositoryId: number,
  {
    repositories,
    store,
  }: { readonly repositories: Pick<Repositories, 'byId'>; readonly store: Pick<GitStore, 'delete'> },
): Promise<void> {
  if (await repositories.byId(repositoryId)) return;
  await store.delete(repositoryId);
  await store.delete(repositoryId, 'wiki');
}
