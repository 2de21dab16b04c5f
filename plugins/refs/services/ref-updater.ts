import type { Actor } from '@mortise/plugin-sdk';
import type { RefUpdate, RefUpdates } from '@mortise/git/api';
import type { Repository } from '@mortise/repositories/api';

/** Creates, moves and deletes references on behalf of an actor. */
export class RefUpdater {
  constructor(private readonly deps: { readonly refs: RefUpdates }) {}

  async updateRef(repository: Repository, actor: Actor, ref: string, old: string, to: string): Promise<void> {
    await this.updateRefs(repository, actor, [{ ref, old, new: to }]);
  }

  /** Several at once, all or nothing. */
  async updateRefs(
    repository: Repository,
    actor: Actor,
    updates: readonly RefUpdate[],
    within?: () => Promise<void>,
  ): Promise<void> {
    await this.deps.refs.apply({ repositoryId: repository.id, updates, pusher: actor, source: 'api', within });
  }
}
