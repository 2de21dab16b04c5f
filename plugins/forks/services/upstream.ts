import { BadRequest, Conflict, Forbidden, NotFound, type Actor } from '@mortise/plugin-sdk';
import type { GitReader, GitStore, GitWriter } from '@mortise/git/api';
import type { CommitWriter, Repositories, Repository, RepositoryAccess } from '@mortise/repositories/api';
import { t } from '../texts/index.js';

type MergeType = 'up-to-date' | 'fast-forward' | 'merge';

/** How a branch of a fork stands to the same branch of its original. */
export interface Standing {
  readonly upstream: Repository;
  readonly branch: string;
  /** Commits that only the original has; undefined: some, which the fork has not seen yet. */
  readonly behind: number | undefined;
  readonly ahead: number | undefined;
}

/** Brings branches of forks up to their original (REP-12, REP-13). */
export class UpstreamService {
  constructor(
    private readonly deps: {
      access: RepositoryAccess;
      repositories: Repositories;
      store: GitStore;
      reader: GitReader;
      writer: GitWriter;
      commits: CommitWriter;
    },
  ) {}

  async merge(fork: Repository, name: string, ffOnly: boolean, actor: Actor): Promise<MergeType> {
    if (!fork.forkOfId) throw BadRequest(t.later('error.noFork'));
    const upstream = await this.#upstream(fork, actor);
    if (!upstream) throw Forbidden(t.later('error.upstreamHidden'));
    const { reader, store, commits, writer } = this.deps;
    const git = reader.open(fork.id);
    const branch = name || fork.defaultBranch;
    const theirs = await reader.open(upstream.id).branch(branch);
    if (!(await git.branch(branch))) throw NotFound('branch');
    // A branch that the original has not has nothing to take over.
    if (!theirs) return 'up-to-date';
    await store.fetchObjects(upstream.id, fork.id, [theirs.oid]);
    let type: MergeType = 'up-to-date';
    await commits.commit({
      repositoryId: fork.id,
      branch,
      actor,
      source: 'merge',
      action: 'merge',
      plan: async (own) => {
        if (!own) throw NotFound('branch');
        type = 'up-to-date';
        if (own === theirs.oid || (await git.isAncestor(theirs.oid, own))) return undefined;
        const forward = await git.isAncestor(own, theirs.oid);
        if (!forward && ffOnly) throw BadRequest(t.later('error.notFastForward', { branch }));
        type = forward ? 'fast-forward' : 'merge';
        if (forward) return { commit: theirs.oid };
        const { tree, conflicts } = await writer.mergeTree(fork.id, own, theirs.oid);
        if (!tree) throw Conflict(t.later('error.conflicts', { files: conflicts.slice(0, 20).join(', ') }));
        const message = `merge branch '${branch}' of ${upstream.ownerName}/${upstream.name}\n`;
        return { tree, parents: [own, theirs.oid], message };
      },
    });
    return type;
  }

  /** For pages: never fetches. Undefined where there is nothing to compare, or it may not be seen. */
  async standing(fork: Repository, actor: Actor): Promise<Standing | undefined> {
    if (!fork.forkOfId || fork.isEmpty) return undefined;
    const upstream = await this.#upstream(fork, actor);
    if (!upstream || upstream.isEmpty) return undefined;
    const branch = fork.defaultBranch;
    const { reader } = this.deps;
    const git = reader.open(fork.id);
    const [own, theirs] = await Promise.all([git.branch(branch), reader.open(upstream.id).branch(branch)]);
    if (!own || !theirs) return undefined;
    if (!(await git.info(theirs.oid))) return { upstream, branch, behind: undefined, ahead: undefined };
    return { upstream, branch, ...(await git.aheadBehind(theirs.oid, own.oid)) };
  }

  async #upstream(fork: Repository, actor: Actor): Promise<Repository | undefined> {
    const upstream = await this.deps.repositories.byId(fork.forkOfId);
    if (!upstream) return undefined;
    return (await this.deps.access.context(actor, upstream)).may('read', 'code') ? upstream : undefined;
  }
}
