import { BadRequest, NotFound, type Actor } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { GitReader } from '@mortise/git/api';
import type { Repositories, Repository, RepositoryAccess, RepositoryContext } from '@mortise/repositories/api';
import type { Comparison, Comparisons } from '../contract/comparisons.js';
import { commitAt } from '../contract/revisions.js';
import { t } from '../texts/index.js';

/** Forks of forks that are followed. */
const maxDepth = 20;

/** Two points in history, also of related repositories (CNT-09, CNT-10, TOK-18). */
export class Comparer implements Comparisons {
  constructor(
    private readonly deps: {
      readonly git: GitReader;
      readonly accounts: Accounts;
      readonly repositories: Repositories;
      readonly repositoryAccess: RepositoryAccess;
    },
  ) {}

  async compare({ repository }: RepositoryContext, actor: Actor, text: string): Promise<Comparison> {
    const git = this.deps.git.open(repository.id);
    const [, left = '', dots = '...', right = ''] = /^(.*?)(\.\.\.?)(.*)$/.exec(text) ?? [
      undefined,
      repository.defaultBranch,
      '...',
      text,
    ];
    const baseName = left || repository.defaultBranch;
    const here = await commitAt(git, baseName);
    const fork = await this.#head(repository, actor, right);
    const headName = fork.ref || fork.repository.defaultBranch;
    const there = await commitAt(this.deps.git.open(fork.repository.id), headName);
    // reading writes nothing: what only the fork has stays with the fork
    const both = this.deps.git.across(repository.id, [fork.repository.id]);
    const mergeBase = await both.mergeBase(here, there);
    return {
      git: both,
      base: { repository, name: baseName, commit: here },
      head: { repository: fork.repository, name: headName, commit: there },
      dots: dots as '..' | '...',
      mergeBase,
      start: dots === '..' ? here : (mergeBase ?? here),
    };
  }

  /** `ref`, `owner:ref` or `owner/name:ref`; only repositories that are related and that the actor may read. */
  async #head(repository: Repository, actor: Actor, text: string): Promise<{ repository: Repository; ref: string }> {
    const { accounts, repositories, repositoryAccess } = this.deps;
    const [, who, ref = ''] = /^([^:]+):(.*)$/.exec(text) ?? [];
    if (!who) return { repository, ref: text };
    const [owner = '', name] = who.split('/');
    if (owner.toLowerCase() === repository.ownerName.toLowerCase() && !name) return { repository, ref };
    const account = await accounts.byName(owner);
    if (!account) throw NotFound('user');
    const candidates = name
      ? [await repositories.byPath(owner, name)]
      : (await repositories.search({ ownerId: account.id, exclusive: true, limit: 50, offset: 0 }, actor)).items;
    const fork = await this.#related(repository, candidates);
    // A public-only token is not told whether there is a fork that it may not see.
    if (!fork) throw name || actor.publicOnly ? NotFound('repository') : BadRequest(t.later('error.noFork', { owner }));
    await repositoryAccess.open({ actor, owner: fork.ownerName, name: fork.name, unit: 'code' });
    return { repository: fork, ref };
  }

  /** The one that goes back to the same root, however many forks lie between. */
  async #related(
    repository: Repository,
    candidates: readonly (Repository | undefined)[],
  ): Promise<Repository | undefined> {
    const root = await this.#rootOf(repository);
    for (const one of candidates) if (one && (await this.#rootOf(one)) === root) return one;
    return undefined;
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
