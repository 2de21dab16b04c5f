import type { FileChange, GitReader } from '@mortise/git/api';
import type { PullRequest } from '../api.js';
import type { PullRange } from '../contract/pulls.js';

/** What pull requests change: of a merged one as it was then. */
export class PullRanges {
  constructor(private readonly gitReader: GitReader) {}

  async of(pull: PullRequest): Promise<PullRange> {
    const git = this.gitReader.open(pull.repositoryId);
    return {
      git,
      base: pull.baseOid || undefined,
      start: pull.mergeBase || pull.baseOid || undefined,
      head: pull.headOid,
    };
  }

  /** Which files, without counts of their lines. */
  async changes(pull: PullRequest): Promise<readonly FileChange[]> {
    const { git, start, head } = await this.of(pull);
    return git.changes(start, head, { stats: false });
  }
}
