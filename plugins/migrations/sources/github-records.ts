import type {
  SourceIssue,
  SourcePullBranch,
  SourcePullRequest,
  SourceReaction,
  SourceReview,
  SourceReviewComment,
  SourceUser,
} from '../contract/records.js';
import { idOf } from './gitea-records.js';
import { numberOf, recordOf, recordsOf, textOf, timeOf, type Answered } from './gitea-api.js';

/** Records of the API of GitHub, as records of an import. */

/** Accounts that are gone are null. */
export const gitHubUser = (value: unknown): SourceUser => {
  const { id, login, email } = recordOf(value);
  const address = textOf(email);
  return { id: Math.max(0, numberOf(id)), name: textOf(login) || 'ghost', ...(address && { email: address }) };
};

export const gitHubReactions = (data: unknown): SourceReaction[] =>
  recordsOf(data).map((one) => ({ content: textOf(one.content), user: gitHubUser(one.user) }));

export const gitHubIssue = (one: Answered, reactions: readonly SourceReaction[]): SourceIssue => {
  const milestone = textOf(recordOf(one.milestone).title);
  return {
    number: numberOf(one.number),
    title: textOf(one.title),
    body: textOf(one.body),
    author: gitHubUser(one.user),
    isClosed: one.state === 'closed',
    isLocked: one.locked === true,
    labels: recordsOf(one.labels).map(({ name }) => textOf(name)),
    labelIds: recordsOf(one.labels).map(idOf),
    ...(milestone && { milestone, milestoneId: idOf(recordOf(one.milestone)) }),
    assignees: recordsOf(one.assignees).map(gitHubUser),
    reactions,
    createdAt: timeOf(one.created_at),
    updatedAt: timeOf(one.updated_at),
    closedAt: timeOf(one.closed_at),
  };
};

/** A fork that is gone is null. */
const branchOf = (value: unknown): SourcePullBranch => {
  const { ref, sha, repo } = recordOf(value);
  const [repository, cloneUrl] = [textOf(recordOf(repo).full_name), textOf(recordOf(repo).clone_url)];
  return {
    branch: textOf(ref),
    commit: textOf(sha),
    ...(repository && { repository }),
    ...(cloneUrl && { cloneUrl }),
  };
};

export const gitHubPull = (one: Answered, reactions: readonly SourceReaction[]): SourcePullRequest => {
  const mergedAt = timeOf(one.merged_at);
  return {
    ...gitHubIssue(one, reactions),
    head: branchOf(one.head),
    base: branchOf(one.base),
    isMerged: mergedAt !== undefined,
    isDraft: one.draft === true,
    ...(mergedAt !== undefined && {
      mergedAt,
      mergeCommit: textOf(one.merge_commit_sha),
      ...(one.merged_by !== undefined && { merger: gitHubUser(one.merged_by) }),
    }),
  };
};

const states: Readonly<Record<string, SourceReview['state']>> = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'rejected',
  COMMENTED: 'comment',
  // what it was before is not told
  DISMISSED: 'comment',
};

/** Undefined for what nobody has sent yet, and for what says nothing. */
export function gitHubReview(
  one: Answered,
  pull: number,
  comments: readonly SourceReviewComment[],
): SourceReview | undefined {
  const word = textOf(one.state).toUpperCase();
  const state = Object.hasOwn(states, word) ? states[word] : undefined;
  const body = textOf(one.body);
  if (!state || (word === 'COMMENTED' && !body && !comments.length)) return undefined;
  return {
    id: String(numberOf(one.id)),
    pull,
    state,
    author: gitHubUser(one.user),
    body,
    commit: textOf(one.commit_id),
    isDismissed: word === 'DISMISSED',
    comments,
    createdAt: timeOf(one.submitted_at),
  };
}

/** A comment whose line has changed since knows only the line and the commit that it was written at. */
export function gitHubReviewComment(one: Answered, reactions: readonly SourceReaction[]): SourceReviewComment {
  const isPresent = numberOf(one.line) > 0;
  const startLine = numberOf(isPresent ? one.start_line : one.original_start_line);
  const replyTo = numberOf(one.in_reply_to_id);
  return {
    id: String(numberOf(one.id)),
    author: gitHubUser(one.user),
    body: textOf(one.body),
    path: textOf(one.path),
    side: one.side === 'LEFT' ? 'old' : 'new',
    line: numberOf(isPresent ? one.line : one.original_line),
    ...(startLine > 0 && { startLine }),
    commit: textOf(isPresent ? one.commit_id : one.original_commit_id),
    hunk: textOf(one.diff_hunk),
    ...(replyTo > 0 && { replyTo: String(replyTo) }),
    reactions,
    createdAt: timeOf(one.created_at),
    updatedAt: timeOf(one.updated_at),
  };
}

/**
 * Comments by the review that they are shown at: an answer is a review of its own there, and stands with the comment that
 * it answers here.
 */
export function byReview(comments: readonly Answered[]): Map<number, Answered[]> {
  const reviews = new Map<number, Answered[]>();
  const reviewOf = new Map<number, number>();
  for (const comment of comments) {
    const review = reviewOf.get(numberOf(comment.in_reply_to_id)) ?? numberOf(comment.pull_request_review_id);
    reviewOf.set(numberOf(comment.id), review);
    reviews.set(review, [...(reviews.get(review) ?? []), comment]);
  }
  return reviews;
}
