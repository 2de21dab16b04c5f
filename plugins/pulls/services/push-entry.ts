import type { Issue, NewTimelineEntry } from '@mortise/issues/api';

interface PushedCommits {
  /** Ids, oldest first; where it was forced, the head before and the head after. */
  readonly commits: readonly string[];
  readonly isForced: boolean;
  readonly version: number;
}

/** The entry of the timeline for commits that came to a pull request; its text is what clients of the REST surface parse. */
export const pushEntry = (
  issue: Pick<Issue, 'id' | 'repositoryId'>,
  actorId: number,
  { commits, isForced, version }: PushedCommits,
): NewTimelineEntry => ({
  issue,
  kind: 'pull_push',
  actorId,
  body: JSON.stringify({ is_force_push: isForced, commit_ids: commits }),
  subjectId: version,
  onceKey: `push:${version}`,
});
