import type { Repositories, Repository } from '@mortise/repositories/api';
import type { TaskGrant } from './task-identities.js';
import type { TokenSettingsService } from './token-settings.js';

type Caller = Pick<TaskGrant, 'repositoryId' | 'ownerId' | 'isForkPull'>;
type Target = Pick<Repository, 'id' | 'ownerId'>;

/** Which non-public repositories allow access to jobs of other repositories. */
export class TaskRepositoryAccess {
  constructor(
    private readonly repositories: Pick<Repositories, 'byId'>,
    private readonly settings: Pick<TokenSettingsService, 'ofOwner' | 'ofRepositories'>,
  ) {}

  async isAccessible(task: Caller, target: Target): Promise<boolean> {
    return (await this.accessibleAmong(task, [target])).has(target.id);
  }

  /**
   * Those among the repositories, by id: the owner of both allows it, or the other repository takes in private ones of the
   * owner. Never for outsiders' pulls. As many queries for many as for one.
   */
  async accessibleAmong(task: Caller, targets: readonly Target[]): Promise<ReadonlySet<number>> {
    if (task.isForkPull) return new Set();
    const isOwn = ({ ownerId }: Target) => ownerId === task.ownerId;
    const own = targets.filter(isOwn);
    const others = targets.filter((target) => !isOwn(target)).map(({ id }) => id);
    const allowed = own.length > 0 ? (await this.settings.ofOwner(task.ownerId)).allowedRepositoryIds : [];
    const reached = own.map(({ id }) => id).filter((id) => allowed.includes(id));
    if (others.length === 0 || !(await this.repositories.byId(task.repositoryId))?.isPrivate) return new Set(reached);
    const settings = await this.settings.ofRepositories(others);
    const takesIn = (id: number) => settings.get(id)?.collaborativeOwnerIds.includes(task.ownerId) ?? false;
    return new Set([...reached, ...others.filter(takesIn)]);
  }
}
