import type {
  SourceIssue,
  SourceLabel,
  SourceMilestone,
  SourcePullRequest,
  SourceReaction,
  SourceReview,
  SourceReviewComment,
} from '../contract/records.js';
import { idOf } from './gitea-records.js';
import { numberOf, recordOf, recordsOf, textOf, timeOf, userOf, type Answered } from './gitea-api.js';

/** Models of the REST API of GitLab (docs.gitlab.com/api), as records of an import. */

/** `scope::value` there is `scope/value` here: of one scope an issue has one label, as it does there. */
export const labelName = (name: string): string => name.replaceAll('::', '/');

export const gitLabLabel = (one: Answered): SourceLabel => ({
  name: labelName(textOf(one.name)),
  color: textOf(one.color),
  description: textOf(one.description),
  isExclusive: textOf(one.name).includes('::'),
});

export const gitLabMilestone = (one: Answered): SourceMilestone => ({
  id: idOf(one),
  title: textOf(one.title),
  description: textOf(one.description),
  isClosed: one.state === 'closed',
  dueAt: timeOf(one.due_date),
  createdAt: timeOf(one.created_at),
  updatedAt: timeOf(one.updated_at),
  // when it was closed is not said
  ...(one.state === 'closed' && { closedAt: timeOf(one.updated_at) }),
});

const emoji: Readonly<Record<string, string>> = {
  thumbsup: '+1',
  thumbsdown: '-1',
  laughing: 'laugh',
  smile: 'laugh',
  tada: 'hooray',
};
export const gitLabReactions = (data: unknown): SourceReaction[] =>
  recordsOf(data).map(({ name, user }) => ({
    content: Object.hasOwn(emoji, textOf(name)) ? emoji[textOf(name)]! : textOf(name),
    user: userOf(user),
  }));

export function gitLabIssue(one: Answered, reactions: readonly SourceReaction[]): SourceIssue {
  const milestone = textOf(recordOf(one.milestone).title);
  return {
    number: numberOf(one.iid),
    title: textOf(one.title),
    body: textOf(one.description),
    author: userOf(one.author),
    isClosed: one.state === 'closed' || one.state === 'merged',
    isLocked: one.discussion_locked === true,
    labels: (Array.isArray(one.labels) ? one.labels : []).map((name) => labelName(textOf(name))),
    ...(milestone && { milestone, milestoneId: idOf(recordOf(one.milestone)) }),
    assignees: recordsOf(one.assignees).map(userOf),
    reactions,
    createdAt: timeOf(one.created_at),
    updatedAt: timeOf(one.updated_at),
    closedAt: timeOf(one.closed_at) ?? timeOf(one.merged_at),
    dueAt: timeOf(one.due_date),
  };
}

/** `one`: the record of the merge request itself, which says more than a list. */
export function gitLabPull(one: Answered, project: string, offset: number, reactions: readonly SourceReaction[]) {
  const { base_sha: base, head_sha: head } = recordOf(one.diff_refs);
  const isMerged = one.state === 'merged';
  const isOwn = numberOf(one.source_project_id) === numberOf(one.target_project_id);
  const pull: SourcePullRequest = {
    ...gitLabIssue(one, reactions),
    number: numberOf(one.iid) + offset,
    head: {
      branch: textOf(one.source_branch),
      commit: textOf(head) || textOf(one.sha),
      ...(isOwn && { repository: project }),
    },
    base: { branch: textOf(one.target_branch), commit: textOf(base), repository: project },
    isMerged,
    isDraft: one.draft === true || one.work_in_progress === true,
    ...(isMerged && {
      mergedAt: timeOf(one.merged_at) ?? timeOf(one.updated_at),
      mergeCommit: textOf(one.merge_commit_sha) || textOf(one.squash_commit_sha) || textOf(one.sha),
      merger: userOf(one.merge_user ?? one.merged_by),
    }),
  };
  return pull;
}

const isOnLines = (note: Answered): boolean =>
  note.system !== true && note.internal !== true && note.confidential !== true && note.type === 'DiffNote';

/** Notes that stand in the conversation: what the service writes by itself, and what only members see, is left out. */
export const isComment = (note: Answered): boolean =>
  note.system !== true && note.internal !== true && note.confidential !== true && note.type !== 'DiffNote';

/** A discussion at lines as a review; undefined for others. */
export function gitLabReview(discussion: Answered, pull: number): SourceReview | undefined {
  const notes = recordsOf(discussion.notes).filter(isOnLines);
  const [first] = notes;
  if (!first) return undefined;
  return {
    id: textOf(discussion.id),
    pull,
    state: 'comment',
    author: userOf(first.author),
    body: '',
    commit: textOf(recordOf(first.position).head_sha),
    comments: notes.map((note) => lineComment(note, first)),
    createdAt: timeOf(first.created_at),
  };
}

/** Answers stand where the first one does. */
function lineComment(note: Answered, first: Answered): SourceReviewComment {
  const position = recordOf(first.position);
  const isOld = numberOf(position.new_line) === 0 && numberOf(position.old_line) > 0;
  const start = recordOf(recordOf(position.line_range).start);
  const startLine = numberOf(isOld ? start.old_line : start.new_line);
  return {
    id: String(numberOf(note.id)),
    author: userOf(note.author),
    body: textOf(note.body),
    path: textOf(isOld ? position.old_path : position.new_path),
    side: isOld ? 'old' : 'new',
    line: numberOf(isOld ? position.old_line : position.new_line),
    ...(startLine > 0 && { startLine }),
    commit: textOf(position.head_sha),
    ...(note !== first && { replyTo: String(numberOf(first.id)) }),
    isResolved: note.resolved === true,
    reactions: [],
    createdAt: timeOf(note.created_at),
    updatedAt: timeOf(note.updated_at),
  };
}

export const gitLabApproval = (one: Answered, pull: number, head: string): SourceReview => {
  const author = userOf(one.user);
  return {
    id: `approval-${pull}-${author.id ?? 0}`,
    pull,
    state: 'approved',
    author,
    body: '',
    commit: head,
    comments: [],
    createdAt: timeOf(one.approved_at),
  };
};
