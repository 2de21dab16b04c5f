import { Forbidden, Invalid, NotFound, type Actor } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { GitReader } from '@mortise/git/api';
import type { Repositories, Repository, RepositoryAccess, RepositoryContext } from '@mortise/repositories/api';
import { t } from '../texts/index.js';

export interface BranchTip {
  readonly repository: Repository;
  readonly branch: string;
  readonly oid: string;
}

/** Forks of forks that are followed. */
const maxDepth = 20;
const maxForks = 50;
/** As many characters as a row holds. */
const maxBranch = 255;

/** Finds the two branches of a pull request by what clients call them. */
export class BranchFinder {
  constructor(
    private readonly deps: {
      readonly reader: GitReader;
      readonly accounts: Accounts;
      readonly repositories: Repositories;
      readonly repositoryAccess: RepositoryAccess;
    },
  ) {}

  /** PUL-04: a branch by its plain name; Invalid for anything else that is there, NotFound for what is not. */
  async tip(repository: Repository, name: string): Promise<BranchTip> {
    if (/[\^~:]|@\{/.test(name) || name.length > maxBranch) throw Invalid(t.later('error.branches'));
    const git = this.deps.reader.open(repository.id);
    const branchRef = await git.branch(name);
    if (branchRef) return { repository, branch: name, oid: branchRef.oid };
    if (await git.resolve(name)) throw Invalid(t.later('error.branches'));
    throw NotFound('branch');
  }

  /** `branch`, `owner:branch` or `owner/name:branch`; only of related repositories whose code the actor may read. */
  async head(base: RepositoryContext, text: string, actor: Actor): Promise<BranchTip> {
    const { repository, branch } = await this.side(base, text, actor);
    return this.tip(repository, branch);
  }

  /** The same without looking at whether the branch is there. */
  async side({ repository }: RepositoryContext, text: string, actor: Actor) {
    const [, who, branch = ''] = /^([^:]+):(.*)$/s.exec(text) ?? [];
    if (who === undefined) return { repository, branch: text };
    const head = await this.#related(repository, who, actor);
    if (head.id === repository.id) return { repository, branch };
    const rights = await this.deps.repositoryAccess.context(actor, head);
    if (!rights.may('read', 'code')) throw NotFound('repository');
    return { repository: head, branch };
  }

  /** People make pull requests who belong to the repository, or who may push to the head. */
  async checkMaker(base: RepositoryContext, head: Repository, isMember: () => Promise<boolean>, actor: Actor) {
    if (actor.isAdmin || base.may('write', 'code')) return;
    if (head.id !== base.repository.id) {
      const rights = await this.deps.repositoryAccess.context(actor, head);
      if (rights.may('write', 'code')) return;
    }
    if (!(await isMember())) throw Forbidden(t.later('error.mustCollaborate'));
  }

  async #related(repository: Repository, who: string, actor: Actor): Promise<Repository> {
    const { accounts, repositories } = this.deps;
    const [owner = '', name] = who.split('/');
    const account = await accounts.byName(owner);
    if (!account) throw NotFound('user');
    if (account.id === repository.ownerId && (!name || name.toLowerCase() === repository.lowerName)) return repository;
    const root = await this.#rootOf(repository);
    const named = name ? await repositories.byPath(owner, name) : undefined;
    const candidates = name
      ? [named]
      : (await repositories.search({ ownerId: account.id, exclusive: true, limit: maxForks, offset: 0 }, actor)).items;
    for (const one of candidates) if (one && (await this.#rootOf(one)) === root) return one;
    throw NotFound('repository');
  }

  async #rootOf(repository: Repository): Promise<number> {
    let at = repository;
    for (let depth = 0; at.forkOfId && depth < maxDepth; depth++) {
      const parent = await this.deps.repositories.byId(at.forkOfId);
      if (!parent) return at.forkOfId;
      at = parent;
    }
    return at.id;
  }
}
