import type { Issue } from '@mortise/issues/api';
import type { MergeOptions, MergeStyle, PullRequest } from '../api.js';

const maxText = 100_000;

/** The first line of a merge when nobody chose one. */
export const defaultTitle = (style: MergeStyle, issue: Issue, pull: PullRequest, headName: string): string =>
  style === 'squash'
    ? `${issue.title} (#${issue.index})`
    : `Merge pull request '${issue.title}' (#${issue.index}) from ${headName} into ${pull.baseBranch}`;

/** Title and text as one message. */
export function mergeMessage({ title, message }: Pick<MergeOptions, 'title' | 'message'>, otherwise: string): string {
  const first = title?.trim() || otherwise;
  const rest = message?.trim();
  return `${(rest ? `${first}\n\n${rest}` : first).slice(0, maxText)}\n`;
}
