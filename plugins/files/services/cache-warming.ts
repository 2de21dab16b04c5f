import type { GitReader, RefsUpdated } from '@mortise/git/api';
import type { Repositories } from '@mortise/repositories/api';

/** Makes what the home page needs of the default branch; git keeps it by commit, also for the next start. */
export async function warmHome(
  services: { readonly git: GitReader; readonly repositories: Repositories },
  { repositoryId, updates }: RefsUpdated,
): Promise<void> {
  const repository = await services.repositories.byId(repositoryId);
  const update = repository && updates.find(({ ref }) => ref === `refs/heads/${repository.defaultBranch}`);
  if (!update) return;
  const git = services.git.open(repositoryId);
  const head = await git.branch(repository.defaultBranch);
  if (!head) return;
  // A repository that cannot be read is no reason to deliver the event again.
  await git.prepareHome(head.oid).catch(() => undefined);
}
