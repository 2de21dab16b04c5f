import { anonymous } from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';
import type { RunParts } from './parts.js';

const maxPulls = 50;

/** Whose pull requests from elsewhere may run at once. */
export class Approvals {
  constructor(private readonly parts: Pick<RunParts, 'accounts' | 'access' | 'issues' | 'pulls'>) {}

  /**
   * Where whoever wrote the pull request, or whoever does something with it, is a stranger: a label that a maintainer puts
   * on makes nobody else's code trustworthy.
   */
  async isNeeded(repository: Repository, pullAuthorId: number, actorId: number): Promise<boolean> {
    for (const userId of new Set([pullAuthorId, actorId])) if (await this.#isStranger(repository, userId)) return true;
    return false;
  }

  /** Those who can neither write the unit nor have a merged pull request in the repository, and the restricted. */
  async #isStranger(repository: Repository, userId: number): Promise<boolean> {
    const { accounts, access } = this.parts;
    const account = userId > 0 ? await accounts.byId(userId) : undefined;
    if (!account || account.isRestricted) return true;
    const rights = (await access.rightsOf(account, [repository])).get(repository.id);
    if (rights?.may('write', 'actions')) return false;
    return !(await this.#hasMerged(repository, account.id));
  }

  async #hasMerged(repository: Repository, posterId: number): Promise<boolean> {
    const { issues, pulls } = this.parts;
    const site = { ...anonymous, kind: 'system', isAdmin: true } as const;
    const search = { repositoryId: repository.id, isPull: true, isClosed: true, posterId };
    const { items } = await issues.search({ ...search, limit: maxPulls, offset: 0 }, site);
    const found = await pulls.byIssueIds(items.map(({ id }) => id));
    return [...found.values()].some(({ isMerged }) => isMerged);
  }
}
