import { Conflict, Forbidden, NotFound, type Actor } from '@mortise/plugin-sdk';
import { zeroOid, type GitReader, type GitStore, type RefUpdates } from '@mortise/git/api';
import type { Repositories, RepositoryAccess } from '@mortise/repositories/api';
import type { PullRequest } from '../api.js';
import { t } from '../texts/index.js';

/** Brings the deleted head branch of a pull request back, as it was last. */
export class BranchRestorer {
  constructor(
    private readonly deps: {
      readonly store: GitStore;
      readonly gitReader: GitReader;
      readonly refUpdates: RefUpdates;
      readonly repositories: Repositories;
      readonly repositoryAccess: RepositoryAccess;
    },
  ) {}

  async restore(pull: PullRequest, actor: Actor): Promise<void> {
    const { store, gitReader, refUpdates, repositories, repositoryAccess } = this.deps;
    const repository = pull.flow === 'branch' ? await repositories.byId(pull.headRepositoryId) : undefined;
    if (!repository) throw NotFound('branch');
    if (repository.isArchived || !(await repositoryAccess.context(actor, repository)).may('write', 'code'))
      throw Forbidden(t.later('error.updateDenied'));
    if (await gitReader.open(repository.id).branch(pull.headBranch)) throw Conflict(t.later('error.branchThere'));
    if (repository.id !== pull.repositoryId) await store.fetchObjects(pull.repositoryId, repository.id, [pull.headOid]);
    await refUpdates.apply({
      repositoryId: repository.id,
      updates: [{ ref: `refs/heads/${pull.headBranch}`, old: zeroOid, new: pull.headOid }],
      pusher: actor,
      source: 'merge',
    });
  }
}
