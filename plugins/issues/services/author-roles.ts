import type { Account } from '@mortise/accounts/api';
import type { Repository } from '@mortise/repositories/api';
import type { Issue } from '../api.js';
import { IssueRow } from '../models/issue.js';
import type { IssueServices } from './services.js';

/** What an account is in the repository of a conversation. */
type RepositoryRole = 'owner' | 'member' | 'collaborator';

export interface AuthorRoles {
  /** By the ids of accounts; without those that have none. */
  readonly roles: ReadonlyMap<number, RepositoryRole>;
  /** Who opened the issue had opened none in the repository before, and has no role there. */
  readonly isFirstByPoster: boolean;
}

/** One batch of queries however many accounts. */
export async function readAuthorRoles(
  services: IssueServices,
  repository: Repository,
  issue: Issue,
  authors: readonly Account[],
): Promise<AuthorRoles> {
  const roles = await rolesIn(services, repository, authors);
  const isAsked = authors.some(({ id }) => id === issue.posterId) && !roles.has(issue.posterId);
  return { roles, isFirstByPoster: isAsked && (await isFirstByPoster(services, issue)) };
}

function rolesIn(
  { deps: { repositoryAccess, repositoryMembers }, conversationCaches }: IssueServices,
  repository: Repository,
  authors: readonly Account[],
): Promise<ReadonlyMap<number, RepositoryRole>> {
  const key = `${repository.id}:${authors.map(({ id }) => id).join(',')}`;
  return conversationCaches.roles.load(key, async () => {
    const [rights, collaborators] = await Promise.all([
      // what administrators of the site may do makes nobody an owner here
      repositoryAccess.rightsAmong(
        authors.map((account) => ({ ...account, isAdmin: false })),
        repository,
      ),
      repositoryMembers.collaborators(repository.id),
    ]);
    const invited = new Set(collaborators.map(({ userId }) => userId));
    const roles = new Map<number, RepositoryRole>();
    for (const { id } of authors) {
      const context = rights.get(id);
      const mayWrite = context?.may('write') || repository.units.some(({ key: unit }) => context?.may('write', unit));
      if (id === repository.ownerId || context?.mode === 'owner') roles.set(id, 'owner');
      else if (invited.has(id)) roles.set(id, 'collaborator');
      else if (mayWrite) roles.set(id, 'member');
    }
    return roles;
  });
}

/** What was opened before does not change, so that it is asked once. */
function isFirstByPoster({ deps: { database }, conversationCaches }: IssueServices, issue: Issue): Promise<boolean> {
  return conversationCaches.firsts.load(String(issue.id), async () => {
    const earlier = await database
      .query(IssueRow)
      .select('id')
      .where({ repository_id: issue.repositoryId, poster_id: issue.posterId, original_author: '' })
      .where('id', '<', issue.id)
      .first();
    return !earlier;
  });
}
