import type { Accounts } from '@mortise/accounts/api';
import type { RepositoryAccess } from '@mortise/repositories/api';
import type { ApprovalSubject } from '../api.js';
import type { BranchPushers } from './branch-pushers.js';

/** Decides whose approval of a pull request counts, for everything that counts approvals. */
export class Approvers {
  constructor(
    private readonly deps: {
      readonly accounts: Accounts;
      readonly repositoryAccess: RepositoryAccess;
      readonly pushers: BranchPushers;
    },
  ) {}

  /** Of these accounts, those that are active and may write the unit. */
  async writersAmong(
    repository: ApprovalSubject['repository'],
    userIds: readonly number[],
    unit = 'code',
  ): Promise<Set<number>> {
    const { accounts, repositoryAccess } = this.deps;
    const wanted = [...new Set(userIds)].filter((id) => id > 0);
    if (wanted.length === 0) return new Set();
    const active = [...(await accounts.byIds(wanted)).values()].filter(
      (account) => account.kind === 'user' && !accounts.refusal(account),
    );
    const rights = await repositoryAccess.rightsAmong(active, repository);
    return new Set(active.map(({ id }) => id).filter((id) => rights.get(id)?.may('write', unit)));
  }

  /** See {@link Pulls.qualifiedApprovers}. */
  async among(subject: ApprovalSubject, userIds: readonly number[], unit = 'code'): Promise<Set<number>> {
    const { pull, repository, issue } = subject;
    const others = userIds.filter((id) => id !== issue.posterId);
    const writers = await this.writersAmong(repository, others, unit);
    if (writers.size === 0) return writers;
    const pushed = await this.deps.pushers.unreviewed(pull, issue.createdAt, [...writers]);
    return new Set([...writers].filter((id) => !pushed.has(id)));
  }
}
