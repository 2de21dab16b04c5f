import { Problem, systemActor } from '@mortise/plugin-sdk';
import { defineFact, zeroOid, type Fact, type GitReader, type RefUpdate, type RefUpdates } from '@mortise/git/api';
import type { PullRequest } from '../api.js';

export const headRef = (index: number): string => `refs/pull/${index}/head`;
const maxRemoved = 500;

const versionRef = (index: number, version: number): string => `refs/pull/${index}/versions/${version}`;

/** A head that is kept now, and by whom it was pushed; with it the row follows after a kill between the two. */
export const headFact: Fact<{ readonly issueId: number; readonly pusherId: number; readonly at: number }> =
  defineFact('pulls.head');

type PullHead = Pick<PullRequest, 'index' | 'headOid' | 'version'>;
type RepositoryPullHead = PullHead & Pick<PullRequest, 'repositoryId'>;

/** References that keep the commits of pull requests in the base repository, whatever becomes of their branches. */
export class PullRefs {
  constructor(private readonly deps: { readonly gitReader: GitReader; readonly refUpdates: RefUpdates }) {}

  /** Makes them say what the pull request does; nothing happens where they do. `within`: writes in the same transaction. */
  async keep(
    pull: RepositoryPullHead,
    within?: () => Promise<void>,
    facts?: ReturnType<typeof headFact.with>,
  ): Promise<void> {
    const updates = await this.#updates(pull);
    if (!updates.length) return within?.();
    try {
      await this.deps.refUpdates.apply({
        repositoryId: pull.repositoryId,
        updates,
        pusher: systemActor('pulls'),
        source: 'internal',
        skipChecks: true,
        hasCheckedObjects: true,
        ...(within && { within }),
        ...(facts && { facts }),
      });
    } catch (error) {
      // somebody else did it at the same moment
      if (!Problem.is(error) || error.code !== 'conflict' || (await this.#updates(pull)).length) throw error;
      await within?.();
    }
  }

  /** The same for several of one repository, at once; of none that others move at that moment. */
  async keepAll(repositoryId: number, heads: readonly PullHead[]): Promise<void> {
    const updates: RefUpdate[] = [];
    for (const head of heads) updates.push(...(await this.#updates({ ...head, repositoryId })));
    if (updates.length > 0)
      await this.deps.refUpdates.apply({
        repositoryId,
        updates,
        pusher: systemActor('pulls'),
        source: 'internal',
        skipChecks: true,
        hasCheckedObjects: true,
      });
  }

  /** Makes them where a kill came before them; one that is there may be ahead of the row, and stays. */
  async restore(pull: RepositoryPullHead): Promise<void> {
    const git = this.deps.gitReader.open(pull.repositoryId);
    if (!(await git.ref(headRef(pull.index)))) await this.keep(pull);
  }

  /** Forgets those of a pull request that is gone, a piece at a time. */
  async remove(repositoryId: number, index: number): Promise<void> {
    for (;;) {
      const refs = await this.deps.gitReader.open(repositoryId).refs(`refs/pull/${index}/`);
      if (!refs.length) return;
      await this.deps.refUpdates.apply({
        repositoryId,
        updates: refs.slice(0, maxRemoved).map(({ ref, oid }) => ({ ref, old: oid, new: zeroOid })),
        pusher: systemActor('pulls'),
        source: 'internal',
        skipChecks: true,
      });
    }
  }

  async #updates({ repositoryId, index, headOid, version }: RepositoryPullHead): Promise<RefUpdate[]> {
    const git = this.deps.gitReader.open(repositoryId);
    const wanted = [headRef(index), versionRef(index, version)];
    const refValues = await Promise.all(wanted.map((ref) => git.ref(ref)));
    return wanted.flatMap((ref, at) =>
      refValues[at]?.oid === headOid ? [] : [{ ref, old: refValues[at]?.oid ?? zeroOid, new: headOid }],
    );
  }
}
