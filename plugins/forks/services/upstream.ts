import { BadRequest, Conflict, Forbidden, NotFound, type Actor } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { GitReader, GitStore, GitWriter, RefUpdates } from '@mortise/git/api';
import { signatureOf, type Repositories, type Repository, type RepositoryAccess } from '@mortise/repositories/api';
import { t } from '../texts/index.js';

export type MergeType = 'up-to-date' | 'fast-forward' | 'merge';

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
    private readonly parts: {
      accounts: Accounts;
      access: RepositoryAccess;
      repositories: Repositories;
      store: GitStore;
      reader: GitReader;
      writer: GitWriter;
      refs: RefUpdates;
    },
  ) {}

  async merge(fork: Repository, name: string, ffOnly: boolean, actor: Actor): Promise<MergeType> {
    if (!fork.forkOfId) throw BadRequest(t.later('error.noFork'));
    const upstream = await this.#upstream(fork, actor);
    if (!upstream) throw Forbidden(t.later('error.upstreamHidden'));
    const { reader, store, refs } = this.parts;
    const facts = reader.open(fork.id);
    const branch = name || fork.defaultBranch;
    const [own, theirs] = await Promise.all([facts.branch(branch), reader.open(upstream.id).branch(branch)]);
    if (!own) throw NotFound('branch');
    // A branch that the original has not has nothing to take over.
    if (!theirs || theirs.oid === own.oid) return 'up-to-date';
    await store.fetchObjects(upstream.id, fork.id, [theirs.oid]);
    if (await facts.isAncestor(theirs.oid, own.oid)) return 'up-to-date';
    const forward = await facts.isAncestor(own.oid, theirs.oid);
    if (!forward && ffOnly) throw BadRequest(t.later('error.notFastForward', { branch }));
    await refs.apply({
      repositoryId: fork.id,
      updates: [
        {
          ref: own.ref,
          old: own.oid,
          new: forward ? theirs.oid : await this.#mergeCommit(fork, upstream, branch, own.oid, theirs.oid, actor),
        },
      ],
      pusher: actor,
      source: 'merge',
    });
    return forward ? 'fast-forward' : 'merge';
  }

  /** For pages: never fetches. Undefined where there is nothing to compare, or it may not be seen. */
  async standing(fork: Repository, actor: Actor): Promise<Standing | undefined> {
    if (!fork.forkOfId || fork.isEmpty) return undefined;
    const upstream = await this.#upstream(fork, actor);
    if (!upstream || upstream.isEmpty) return undefined;
    const branch = fork.defaultBranch;
    const { reader } = this.parts;
    const facts = reader.open(fork.id);
    const [own, theirs] = await Promise.all([facts.branch(branch), reader.open(upstream.id).branch(branch)]);
    if (!own || !theirs) return undefined;
    if (!(await facts.info(theirs.oid))) return { upstream, branch, behind: undefined, ahead: undefined };
    return { upstream, branch, ...(await facts.aheadBehind(theirs.oid, own.oid)) };
  }

  async #upstream(fork: Repository, actor: Actor): Promise<Repository | undefined> {
    const upstream = await this.parts.repositories.byId(fork.forkOfId);
    if (!upstream) return undefined;
    return (await this.parts.access.context(actor, upstream)).may('read', 'code') ? upstream : undefined;
  }

  async #mergeCommit(
    fork: Repository,
    upstream: Repository,
    branch: string,
    ours: string,
    theirs: string,
    actor: Actor,
  ): Promise<string> {
    const { accounts, writer } = this.parts;
    const { tree, conflicts } = await writer.mergeTree(fork.id, ours, theirs);
    if (!tree) throw Conflict(t.later('error.conflicts', { files: conflicts.slice(0, 20).join(', ') }));
    const account = await accounts.byId(actor.id);
    if (!account) throw NotFound('user');
    const signature = signatureOf(accounts, account);
    return writer.writeCommit(fork.id, {
      tree,
      parents: [ours, theirs],
      author: signature,
      committer: signature,
      message: `merge branch '${branch}' of ${upstream.ownerName}/${upstream.name}\n`,
    });
  }
}
