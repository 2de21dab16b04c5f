import { definePoint } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Issues } from '@mortise/issues/api';
import type { Pulls } from '@mortise/pulls/api';

/** A merged pull request, as release notes name it. */
export interface MergedPull {
  readonly index: number;
  readonly title: string;
  readonly labels: readonly string[];
  /** Name of who wrote it; empty: nobody who is known. */
  readonly author: string;
  /** The author has an account here, which can be mentioned. */
  readonly isAccount: boolean;
  /** It was the author's first to be merged into the repository. */
  readonly isFirst: boolean;
}

export interface MergedPullSource {
  /** Those that were merged as one of these commits, oldest first; at most `limit`, and how many there are. */
  amongCommits(
    repositoryId: number,
    commits: readonly string[],
    limit: number,
  ): Promise<{ readonly items: readonly MergedPull[]; readonly total: number }>;
}
/** Empty where no plugin has pull requests. */
export const mergedPullSource = definePoint.one<MergedPullSource>('releases.mergedPullSource');

export class MergedPulls implements MergedPullSource {
  constructor(private readonly deps: { readonly accounts: Accounts; readonly issues: Issues; readonly pulls: Pulls }) {}

  async amongCommits(repositoryId: number, commits: readonly string[], limit: number) {
    const { accounts, issues, pulls } = this.deps;
    const merged = await pulls.mergedAs(repositoryId, commits);
    const listed = merged.slice(0, limit);
    const ids = listed.map(({ issueId }) => issueId);
    const [byId, labels] = await Promise.all([issues.byIds(ids), issues.labels(ids)]);
    const posterIds = [...new Set([...byId.values()].map(({ posterId }) => posterId))];
    const [posters, firsts] = await Promise.all([
      accounts.byIds(posterIds),
      pulls.firstMerges(repositoryId, posterIds),
    ]);
    const items = listed.flatMap(({ issueId, mergedAt }): MergedPull[] => {
      const issue = byId.get(issueId);
      if (!issue) return [];
      const { index, title, originalAuthor, posterId } = issue;
      const isAccount = originalAuthor === '' && posters.has(posterId);
      return [
        {
          index,
          title,
          labels: (labels.get(issueId) ?? []).map(({ name }) => name),
          author: originalAuthor || (posters.get(posterId)?.name ?? ''),
          isAccount,
          isFirst: isAccount && firsts.get(posterId) === mergedAt,
        },
      ];
    });
    return { items, total: merged.length };
  }
}
