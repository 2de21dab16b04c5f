import type { Repositories, Repository } from '@mortise/repositories/api';
import type { TokenSettingsStore } from '../../contract/token-settings.js';
import type { TaskGrant } from './identity.js';

/** Which repositories open themselves to jobs of others, beside those that everybody may read. */
export class TaskReach {
  constructor(
    private readonly repositories: Pick<Repositories, 'byId'>,
    private readonly settings: TokenSettingsStore,
  ) {}

  /** The owner of both allows it, or the other repository takes in private ones of the owner. Never for outsiders' pulls. */
  async reaches(
    task: Pick<TaskGrant, 'repositoryId' | 'ownerId' | 'isForkPull'>,
    target: Pick<Repository, 'id' | 'ownerId'>,
  ): Promise<boolean> {
    if (target.ownerId === task.ownerId) {
      const { allowedRepositoryIds } = await this.settings.ofOwner(task.ownerId);
      return !task.isForkPull && allowedRepositoryIds.includes(target.id);
    }
    const { collaborativeOwnerIds } = await this.settings.ofRepository(target.id);
    if (task.isForkPull || !collaborativeOwnerIds.includes(task.ownerId)) return false;
    return (await this.repositories.byId(task.repositoryId))?.isPrivate ?? false;
  }
}
