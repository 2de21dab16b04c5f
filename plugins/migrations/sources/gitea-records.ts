import type { ListedRepository } from '../contract/source.js';
import type {
  SourceAsset,
  SourceComment,
  SourceIssue,
  SourceLabel,
  SourceMilestone,
  SourcePullBranch,
  SourcePullRequest,
  SourceReaction,
  SourceRelease,
  SourceRepository,
  SourceReview,
  SourceReviewComment,
  SourceUser,
} from '../contract/records.js';
import { authorOf, numberOf, recordOf, recordsOf, textOf, timeOf, userOf, type Answered } from './gitea-api.js';
import { wikiUrlOf } from './git.js';

/** Models of the API of Gitea and its kin, as records of an import; some of them Gogs and GitHub have in the same form. */

export const repositoryOf = (record: Answered, cloneUrl: string): SourceRepository => ({
  name: textOf(record.name),
  description: textOf(record.description),
  website: textOf(record.website) || textOf(record.homepage),
  isPrivate: record.private === true,
  defaultBranch: textOf(record.default_branch),
  topics: Array.isArray(record.topics) ? record.topics.map(textOf) : [],
  cloneUrl,
  ...(record.has_wiki !== false && { wikiUrl: wikiUrlOf(cloneUrl) }),
});

export const listedOf = (one: Answered): ListedRepository => ({
  fullName: textOf(one.full_name),
  // Gogs gives none
  name: textOf(one.name) || (textOf(one.full_name).split('/').at(-1) ?? ''),
  description: textOf(one.description),
  isPrivate: one.private === true,
  isFork: one.fork === true,
  address: textOf(one.clone_url),
});

/** Ids of what issues name. */
export const idOf = ({ id }: Answered): string => (numberOf(id) > 0 ? String(numberOf(id)) : '');

export const milestoneOf = (one: Answered): SourceMilestone => ({
  id: idOf(one),
  title: textOf(one.title),
  description: textOf(one.description),
  isClosed: one.state === 'closed',
  dueAt: timeOf(one.due_on),
  createdAt: timeOf(one.created_at),
  updatedAt: timeOf(one.updated_at),
  closedAt: timeOf(one.closed_at),
});

export const labelOf = (one: Answered): SourceLabel => ({
  id: idOf(one),
  name: textOf(one.name),
  color: textOf(one.color),
  description: textOf(one.description),
  isExclusive: one.exclusive === true,
  isArchived: one.is_archived === true,
});

export const releaseOf = (one: Answered, author: SourceUser, assets: readonly SourceAsset[]): SourceRelease => ({
  id: String(numberOf(one.id)),
  tagName: textOf(one.tag_name),
  target: textOf(one.target_commitish),
  title: textOf(one.name),
  note: textOf(one.body),
  isDraft: one.draft === true,
  isPrerelease: one.prerelease === true,
  author,
  createdAt: timeOf(one.created_at),
  publishedAt: timeOf(one.published_at),
  assets,
});

export const assetOf = (one: Answered, read: SourceAsset['read']): SourceAsset => ({
  id: String(numberOf(one.id)),
  name: textOf(one.name),
  size: numberOf(one.size),
  createdAt: timeOf(one.created_at),
  read,
});

/** The number at the end of the address of an issue or a pull request; 0 where there is none. */
export const numberIn = (url: unknown): number => Number(/\/(\d{1,10})$/.exec(textOf(url))?.[1] ?? 0);

export const commentOf = (
  one: Answered,
  issue: number,
  author: SourceUser,
  reactions: readonly SourceReaction[],
): SourceComment => ({
  id: String(numberOf(one.id)),
  issue,
  body: textOf(one.body),
  author,
  reactions,
  createdAt: timeOf(one.created_at),
  updatedAt: timeOf(one.updated_at),
});

export const reactionsOf = (data: unknown): SourceReaction[] =>
  recordsOf(data).map((one) => ({ content: textOf(one.content), user: userOf(one.user) }));

/** Only Mortise gives start dates. */
export const issueOf = (one: Answered, reactions: readonly SourceReaction[]): SourceIssue => {
  const milestone = textOf(recordOf(one.milestone).title);
  return {
    number: numberOf(one.number),
    title: textOf(one.title),
    body: textOf(one.body),
    author: authorOf(one),
    isClosed: one.state === 'closed',
    isLocked: one.is_locked === true,
    labels: recordsOf(one.labels).map(({ name }) => textOf(name)),
    labelIds: recordsOf(one.labels).map(idOf),
    ...(milestone && { milestone, milestoneId: idOf(recordOf(one.milestone)) }),
    assignees: recordsOf(one.assignees).map(userOf),
    reactions,
    ref: textOf(one.ref),
    createdAt: timeOf(one.created_at),
    updatedAt: timeOf(one.updated_at),
    closedAt: timeOf(one.closed_at),
    startAt: timeOf(one.start_date),
    dueAt: timeOf(one.due_date),
  };
};

const branchOf = (value: unknown): SourcePullBranch => {
  const { ref, sha, repo } = recordOf(value);
  const { full_name: fullName, clone_url: cloneUrl } = recordOf(repo);
  return {
    branch: textOf(ref),
    commit: textOf(sha),
    ...(textOf(fullName) && { repository: textOf(fullName) }),
    ...(textOf(cloneUrl) && { cloneUrl: textOf(cloneUrl) }),
  };
};

export const pullOf = (one: Answered, reactions: readonly SourceReaction[]): SourcePullRequest => {
  const isMerged = one.merged === true;
  return {
    ...issueOf(one, reactions),
    head: branchOf(one.head),
    base: branchOf(one.base),
    isMerged,
    isDraft: one.draft === true,
    ...(isMerged && {
      mergedAt: timeOf(one.merged_at),
      mergeCommit: textOf(one.merge_commit_sha),
      merger: userOf(one.merged_by),
    }),
  };
};

const states: Readonly<Record<string, SourceReview['state']>> = {
  APPROVED: 'approved',
  REQUEST_CHANGES: 'rejected',
  COMMENT: 'comment',
};

/** Undefined for requests, and for what nobody has sent yet. */
export function reviewOf(
  one: Answered,
  pull: number,
  comments: readonly SourceReviewComment[],
): SourceReview | undefined {
  const state = Object.hasOwn(states, textOf(one.state)) ? states[textOf(one.state)] : undefined;
  return (
    state && {
      id: String(numberOf(one.id)),
      pull,
      state,
      author: authorOf(one),
      body: textOf(one.body),
      commit: textOf(one.commit_id),
      isDismissed: one.dismissed === true,
      comments,
      createdAt: timeOf(one.submitted_at),
    }
  );
}

/** `position` is a line of the new file, `original_position` one of the old file; the other one is 0. */
export const reviewCommentOf = (one: Answered): SourceReviewComment => {
  const isOld = !numberOf(one.position) && numberOf(one.original_position) > 0;
  return {
    id: String(numberOf(one.id)),
    author: authorOf(one),
    body: textOf(one.body),
    path: textOf(one.path),
    side: isOld ? 'old' : 'new',
    line: isOld ? numberOf(one.original_position) : numberOf(one.position),
    commit: textOf(one.commit_id),
    hunk: textOf(one.diff_hunk),
    isResolved: numberOf(recordOf(one.resolver).id) > 0,
    reactions: [],
    createdAt: timeOf(one.created_at),
    updatedAt: timeOf(one.updated_at),
  };
};
