import { anonymous } from '@mortise/plugin-sdk';
import type { PullRequest } from '@mortise/pulls/api';
import type { Repository } from '@mortise/repositories/api';
import { openStatuses } from '../../contract/states.js';
import { RunRow } from '../../models/run.js';
import type { RunDeps } from './run-deps.js';

const maxPulls = 50;

/** What somebody does with a pull request from elsewhere. */
interface PullUpdate {
  readonly repository: Repository;
  readonly pull: PullRequest;
  /** The head that it is about. */
  readonly head: string;
  readonly authorId: number;
  readonly actorId: number;
}

/** Whose pull requests from elsewhere may run at once. */
export class Approvals {
  constructor(private readonly deps: Pick<RunDeps, 'accounts' | 'access' | 'database' | 'issues' | 'pulls'>) {}

  /**
   * True where the author of the pull request, the pusher of its head, or the actor is a stranger: a label that a
   * maintainer adds does not make the code trustworthy. Also while another run of that head waits for approval.
   */
  async isNeeded({ repository, pull, head, authorId, actorId }: PullUpdate): Promise<boolean> {
    const versions = await this.deps.pulls.versions(pull);
    const pushers = versions.filter(({ headOid }) => headOid === head).map(({ pusherId }) => pusherId);
    for (const userId of new Set([authorId, actorId, ...pushers]))
      if (await this.#isStranger(repository, userId)) return true;
    const waiting = await this.deps.database
      .query(RunRow)
      .where({ repository_id: repository.id, commit_sha: head, is_fork: true, need_approval: true })
      .whereIn('status', openStatuses)
      .select('id')
      .first();
    return waiting !== undefined;
  }

  /** Those who can neither write the unit nor have a merged pull request in the repository, and the restricted. */
  async #isStranger(repository: Repository, userId: number): Promise<boolean> {
    const { accounts, access } = this.deps;
    const account = userId > 0 ? await accounts.byId(userId) : undefined;
    if (!account || account.isRestricted) return true;
    const rights = (await access.rightsOf(account, [repository])).get(repository.id);
    if (rights?.may('write', 'actions')) return false;
    return !(await this.#hasMerged(repository, account.id));
  }

  async #hasMerged(repository: Repository, posterId: number): Promise<boolean> {
    const { issues, pulls } = this.deps;
    const site = { ...anonymous, kind: 'system', isAdmin: true } as const;
    const search = { repositoryId: repository.id, isPull: true, isClosed: true, posterId };
    const { items } = await issues.search({ ...search, limit: maxPulls, offset: 0 }, site);
    const pullByIssue = await pulls.byIssueIds(items.map(({ id }) => id));
    return [...pullByIssue.values()].some(({ isMerged }) => isMerged);
  }
}
