import { BadRequest, NotFound, type Actor } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { GitReader, GitRepository, GitStore } from '@mortise/git/api';
import type { Repositories, Repository, RepositoryAccess, RepositoryContext } from '@mortise/repositories/api';

export interface ComparedSide {
  readonly repository: Repository;
  readonly name: string;
  readonly commit: string;
}

export interface Comparison {
  readonly base: ComparedSide;
  readonly head: ComparedSide;
  /** `...`: from where both parted; `..`: from the base itself. */
  readonly dots: '..' | '...';
  readonly mergeBase: string | undefined;
  /** Where the difference begins. */
  readonly start: string;
}

/** Two points in history, also of related repositories (CNT-09, CNT-10, TOK-18). */
export class Comparer {
  constructor(
    private readonly parts: {
      readonly git: GitReader;
      readonly store: GitStore;
      readonly accounts: Accounts;
      readonly repositories: Repositories;
      readonly repositoryAccess: RepositoryAccess;
    },
  ) {}

  async compare({ repository }: RepositoryContext, actor: Actor, text: string): Promise<Comparison> {
    const git = this.parts.git.open(repository.id);
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
    const there = await commitAt(this.parts.git.open(fork.repository.id), headName);
    if (fork.repository.id !== repository.id)
      await this.parts.store.fetchObjects(fork.repository.id, repository.id, [there]);
    const mergeBase = await git.mergeBase(here, there);
    return {
      base: { repository, name: baseName, commit: here },
      head: { repository: fork.repository, name: headName, commit: there },
      dots: dots as '..' | '...',
      mergeBase,
      start: dots === '..' ? here : (mergeBase ?? here),
    };
  }

  /** `ref`, `owner:ref` or `owner/name:ref`; only repositories that are related and that the actor may read. */
  async #head(repository: Repository, actor: Actor, text: string): Promise<{ repository: Repository; ref: string }> {
    const { accounts, repositories, repositoryAccess } = this.parts;
    const [, who, ref = ''] = /^([^:]+):(.*)$/.exec(text) ?? [];
    if (!who) return { repository, ref: text };
    const [owner = '', name] = who.split('/');
    if (owner.toLowerCase() === repository.ownerName.toLowerCase() && !name) return { repository, ref };
    const account = await accounts.byName(owner);
    if (!account) throw NotFound('user');
    const root = repository.forkOfId || repository.id;
    const candidates = name
      ? [await repositories.byPath(owner, name)]
      : (await repositories.search({ ownerId: account.id, exclusive: true, limit: 50, offset: 0 }, actor)).items;
    const fork = candidates.find(
      (one) =>
        one &&
        (one.id === root || one.forkOfId === root || one.id === repository.forkOfId || one.forkOfId === repository.id),
    );
    // A public-only token is not told whether there is a fork that it may not see.
    if (!fork)
      throw name || actor.publicOnly ? NotFound('repository') : BadRequest(`${owner} has no fork of this repository`);
    await repositoryAccess.open({ actor, owner: fork.ownerName, name: fork.name, unit: 'code' });
    return { repository: fork, ref };
  }
}

/** What is stepped from, and the steps behind it; looks at each sign once, for anybody may send long ones. */
export function steppedName(text: string): readonly [name: string, steps: string] {
  let from = text.length;
  for (let at = from - 1; at >= 0 && /[\^~\d]/.test(text[at]!); at--) if (!/\d/.test(text[at]!)) from = at;
  return [text.slice(0, from), text.slice(from)];
}

/** A name, also with `^` and `~N` behind it, as a commit. */
export async function commitAt(git: GitRepository, text: string): Promise<string> {
  if (/\^\{|@\{/.test(text)) throw BadRequest(`${text.slice(0, 100)} is not understood`);
  const [name, suffix] = steppedName(text);
  const found = await git.resolve(name);
  const stepped = found && suffix ? await git.resolve(`${found.commit}${suffix}`) : found;
  if (!stepped) throw NotFound(`reference ${text.slice(0, 100)} does not exist`);
  return stepped.commit;
}
