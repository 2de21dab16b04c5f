import { Problem, systemActor } from '@mortise/plugin-sdk';
import { zeroOid, type GitReader, type RefUpdate, type RefUpdates } from '@mortise/git/api';
import type { PullRequest } from '../api.js';

export const headRef = (index: number): string => `refs/pull/${index}/head`;
export const versionRef = (index: number, version: number): string => `refs/pull/${index}/versions/${version}`;

type Kept = Pick<PullRequest, 'repositoryId' | 'index' | 'headOid' | 'version'>;

/** References that keep the commits of pull requests in the base repository, whatever becomes of their branches. */
export class PullRefs {
  constructor(private readonly parts: { readonly gitReader: GitReader; readonly refUpdates: RefUpdates }) {}

  /** Makes them say what the pull request does; nothing happens where they do. `within`: writes in the same transaction. */
  async keep(pull: Kept, within?: () => Promise<void>): Promise<void> {
    const updates = await this.#updates(pull);
    if (!updates.length) return within?.();
    try {
      await this.parts.refUpdates.apply({
        repositoryId: pull.repositoryId,
        updates,
        pusher: systemActor('pulls'),
        source: 'internal',
        skipChecks: true,
        ...(within && { within }),
      });
    } catch (error) {
      // somebody else did it at the same moment
      if (!Problem.is(error) || error.code !== 'conflict' || (await this.#updates(pull)).length) throw error;
      await within?.();
    }
  }

  async #updates({ repositoryId, index, headOid, version }: Kept): Promise<RefUpdate[]> {
    const git = this.parts.gitReader.open(repositoryId);
    const wanted = [headRef(index), versionRef(index, version)];
    const found = await Promise.all(wanted.map((ref) => git.ref(ref)));
    return wanted.flatMap((ref, at) =>
      found[at]?.oid === headOid ? [] : [{ ref, old: found[at]?.oid ?? zeroOid, new: headOid }],
    );
  }
}
