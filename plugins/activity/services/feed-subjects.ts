import type { Account, Accounts } from '@mortise/accounts/api';
import type { Repositories } from '@mortise/repositories/api';
import type { Activity } from '../contract/activity.js';

/** Where something happened, as a feed names it and leads to it. */
export interface FeedSubject {
  readonly name: string;
  /** Address of its page. */
  readonly href: string;
  /** Address of the list of its project boards. */
  readonly projectsHref: string;
}

interface FeedSubjects {
  /** Those who acted, and owners without a repository, by id. */
  readonly users: ReadonlyMap<number, Account>;
  /** Undefined: it is gone. */
  subjectOf(activity: Activity): FeedSubject | undefined;
}

/** The repositories that entries are about. */
export const repositoryIdsOf = (activities: readonly Activity[]): number[] => [
  ...new Set(activities.flatMap(({ repositoryId }) => (repositoryId ? [repositoryId] : []))),
];

/** What entries are about; two queries however many. `addressOf` makes an address of a path below the root. */
export async function readFeedSubjects(
  { accounts, repositories }: { readonly accounts: Accounts; readonly repositories: Repositories },
  activities: readonly Activity[],
  addressOf: (path: string) => string,
): Promise<FeedSubjects> {
  const userIds = activities.flatMap(({ actorId, ownerId }) => (ownerId ? [actorId, ownerId] : [actorId]));
  const users = await accounts.byIds([...new Set(userIds)]);
  const repositoriesById = await repositories.byIds(repositoryIdsOf(activities));
  return {
    users,
    subjectOf({ repositoryId, ownerId }) {
      const repository = repositoriesById.get(repositoryId);
      if (repository) {
        const name = `${repository.ownerName}/${repository.name}`;
        const href = addressOf(`/${name}`);
        return { name, href, projectsHref: `${href}/projects` };
      }
      const owner = users.get(ownerId);
      if (!owner) return undefined;
      const href = addressOf(`/${owner.name}`);
      return { name: owner.name, href, projectsHref: `${href}/-/projects` };
    },
  };
}
