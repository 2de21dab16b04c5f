/**
 * Records of a dump, in the layout that compatible services write and read: `label.yml`, `release.yml`, `issue.yml`,
 * `pull_request.yml`, `comments/N.yml`. Properties that we do not know are passed over, those of our own are optional.
 */
import { Invalid, Joi } from '@mortise/plugin-sdk';
import type {
  SourceComment,
  SourceIssue,
  SourceLabel,
  SourcePullBranch,
  SourcePullRequest,
  SourceReaction,
  SourceUser,
} from '../contract/records.js';
import { cleanTime } from '../services/sanitize.js';
import { dateTime, toDateTime, toTime } from './date-time.js';
import type { IssueNames } from './issue-names.js';

export const text = Joi.string().allow('', null);
export const time = dateTime.allow(null, '');
export const id = Joi.number().integer().min(0).allow(null);
export const flag = Joi.boolean().allow(null);

export const timeIn = (value: string | null | undefined): number | undefined => (value ? toTime(value) : undefined);
/** Null also for times that imports do not take, such as those of years that RFC 3339 cannot write. */
export function timeOut(value: number | undefined): string | null {
  const time = cleanTime(value, 0);
  return time ? toDateTime(time) : null;
}

/** One record as its document holds it; `isStrict`: properties that we do not know are refused too. */
export function checkRecord<T>(schema: Joi.ObjectSchema<T>, document: unknown, name: string, isStrict: boolean): T {
  const { error, value } = schema.validate(document, { convert: false, allowUnknown: !isStrict });
  if (error || !value) throw Invalid(`${name} does not follow the layout of dumps: ${error?.message ?? ''}`);
  return value;
}

/** Who wrote something. */
export interface Poster {
  readonly poster_id?: number | null;
  readonly poster_name?: string | null;
  readonly poster_email?: string | null;
}
export const posterKeys = { poster_id: id, poster_name: text, poster_email: text };

export const posterOf = ({ id: number = 0, name, email = '' }: SourceUser): Required<Poster> => ({
  poster_id: number,
  poster_name: name,
  poster_email: email,
});
export const userOfPoster = ({ poster_id, poster_name, poster_email }: Poster): SourceUser => ({
  id: poster_id ?? 0,
  name: poster_name || 'Ghost',
  ...(poster_email && { email: poster_email }),
});

interface ReactionRecord {
  readonly user_id?: number | null;
  readonly user_name?: string | null;
  readonly content: string;
}
export const reactionsSchema = Joi.array<ReactionRecord[]>()
  .items(Joi.object({ user_id: id, user_name: text, content: Joi.string().required() }))
  .allow(null);
export type ReactionRecords = readonly ReactionRecord[] | null | undefined;

export const reactionsToRecord = (reactions: readonly SourceReaction[]): ReactionRecord[] =>
  reactions.map(({ content, user }) => ({ user_id: user.id ?? 0, user_name: user.name, content }));
export const reactionsOfRecord = (reactions: ReactionRecords): SourceReaction[] =>
  (reactions ?? []).map(({ content, user_id, user_name }) => ({
    content,
    user: { id: user_id ?? 0, name: user_name || 'Ghost' },
  }));

export interface LabelRecord {
  readonly name: string;
  readonly color?: string | null;
  readonly description?: string | null;
  readonly exclusive?: boolean | null;
  /** Ours. */
  readonly archived?: boolean | null;
  /** Ours, of an issue: which label of `label.yml` it is, from 1, where several have its name. */
  readonly number?: number | null;
}
export const labelSchema = Joi.object<LabelRecord>({
  name: Joi.string().required(),
  color: text,
  description: text,
  exclusive: flag,
  archived: flag,
  number: id,
});
export const labelToRecord = (label: SourceLabel): LabelRecord => ({
  name: label.name,
  color: label.color.replace(/^#/, ''),
  description: label.description,
  exclusive: label.isExclusive === true,
  ...(label.isArchived && { archived: true }),
});
/** `number`: in the order of the file. */
export const labelOfRecord = (record: LabelRecord, number: number): SourceLabel => ({
  id: String(number),
  name: record.name,
  color: record.color ?? '',
  description: record.description ?? '',
  isExclusive: record.exclusive === true,
  isArchived: record.archived === true,
});

interface IssueRecord extends Poster {
  readonly number: number;
  readonly title: string;
  readonly content?: string | null;
  readonly ref?: string | null;
  readonly milestone?: string | null;
  /** Ours: which milestone of `milestone.yml` it is, from 1, where several have its title. */
  readonly milestone_number?: number | null;
  readonly state: 'open' | 'closed';
  readonly is_locked?: boolean | null;
  readonly created?: string | null;
  readonly updated?: string | null;
  readonly closed?: string | null;
  readonly labels?: readonly LabelRecord[] | null;
  readonly reactions?: ReactionRecords;
  readonly assignees?: readonly string[] | null;
  readonly foreign_id?: number | null;
  /** Ours. */
  readonly start_date?: string | null;
  /** Ours. */
  readonly deadline?: string | null;
}
const issueKeys = {
  ...posterKeys,
  number: Joi.number().integer().min(1).required(),
  title: Joi.string().allow('').required(),
  content: text,
  ref: text,
  milestone: text,
  milestone_number: id,
  state: Joi.string().valid('open', 'closed').required(),
  is_locked: flag,
  created: time,
  updated: time,
  closed: time,
  labels: Joi.array().items(labelSchema).allow(null),
  reactions: reactionsSchema,
  assignees: Joi.array().items(Joi.string()).allow(null),
  foreign_id: id,
  start_date: time,
  deadline: time,
};
export const issueSchema = Joi.object<IssueRecord>(issueKeys);

function issueLabels(issue: SourceIssue, { labels }: IssueNames<LabelRecord>): LabelRecord[] {
  return issue.labels.map((name, at) => {
    const { value = { name, color: '', description: '', exclusive: false }, number } = labels.find(
      name,
      issue.labelIds?.[at],
    );
    return { ...value, ...(number && { number }) };
  });
}

function issueMilestone(issue: SourceIssue, { milestones }: IssueNames<LabelRecord>) {
  const { milestone = '', milestoneId } = issue;
  const { number } = milestones.find(milestone, milestoneId);
  return { milestone, ...(number && { milestone_number: number }) };
}

/** `names`: labels and milestones of the repository. */
export const issueToRecord = (issue: SourceIssue, names: IssueNames<LabelRecord>): IssueRecord => ({
  number: issue.number,
  ...posterOf(issue.author),
  title: issue.title,
  content: issue.body,
  ref: issue.ref ?? '',
  ...issueMilestone(issue, names),
  state: issue.isClosed ? 'closed' : 'open',
  is_locked: issue.isLocked,
  created: timeOut(issue.createdAt),
  updated: timeOut(issue.updatedAt),
  closed: issue.isClosed ? timeOut(issue.closedAt) : null,
  labels: issueLabels(issue, names),
  reactions: reactionsToRecord(issue.reactions),
  assignees: issue.assignees.map(({ name }) => name),
  foreign_id: issue.number,
  ...(issue.startAt && { start_date: timeOut(issue.startAt) }),
  ...(issue.dueAt && { deadline: timeOut(issue.dueAt) }),
});

export const issueOfRecord = (record: IssueRecord): SourceIssue => ({
  number: record.number,
  title: record.title,
  body: record.content ?? '',
  author: userOfPoster(record),
  isClosed: record.state === 'closed',
  isLocked: record.is_locked === true,
  labels: (record.labels ?? []).map(({ name }) => name),
  labelIds: (record.labels ?? []).map(({ number }) => (number ? String(number) : '')),
  ...(record.milestone && { milestone: record.milestone }),
  ...(record.milestone_number && { milestoneId: String(record.milestone_number) }),
  assignees: (record.assignees ?? []).map((name) => ({ name })),
  reactions: reactionsOfRecord(record.reactions),
  ref: record.ref ?? '',
  createdAt: timeIn(record.created),
  updatedAt: timeIn(record.updated),
  closedAt: timeIn(record.closed),
  startAt: timeIn(record.start_date),
  dueAt: timeIn(record.deadline),
});

interface BranchRecord {
  readonly clone_url?: string | null;
  readonly ref?: string | null;
  readonly sha?: string | null;
  readonly repo_name?: string | null;
  readonly owner_name?: string | null;
}
interface PullRecord extends IssueRecord {
  readonly patch_url?: string | null;
  readonly merged?: boolean | null;
  readonly merged_time?: string | null;
  readonly merge_commit_sha?: string | null;
  readonly head: BranchRecord;
  readonly base: BranchRecord;
  readonly is_draft?: boolean | null;
  /** Ours. */
  readonly merger_name?: string | null;
}
const branchSchema = Joi.object({
  clone_url: text,
  ref: text,
  sha: text,
  repo_name: text,
  owner_name: text,
}).required();
export const pullSchema = Joi.object<PullRecord>({
  ...issueKeys,
  patch_url: text,
  merged: flag,
  merged_time: time,
  merge_commit_sha: text,
  head: branchSchema,
  base: branchSchema,
  is_draft: flag,
  merger_name: text,
});

function branchToRecord({ branch, commit, repository = '', cloneUrl = '' }: SourcePullBranch): BranchRecord {
  const [owner = '', name = ''] = repository.split('/');
  return { clone_url: cloneUrl, ref: branch, sha: commit, repo_name: name, owner_name: owner };
}
const branchOfRecord = ({ ref, sha, repo_name, owner_name, clone_url }: BranchRecord): SourcePullBranch => ({
  branch: ref ?? '',
  commit: sha ?? '',
  ...(repo_name && owner_name && { repository: `${owner_name}/${repo_name}` }),
  ...(clone_url && { cloneUrl: clone_url }),
});

export const pullToRecord = (pull: SourcePullRequest, names: IssueNames<LabelRecord>): PullRecord => ({
  ...issueToRecord(pull, names),
  patch_url: '',
  merged: pull.isMerged,
  merged_time: timeOut(pull.mergedAt),
  merge_commit_sha: pull.mergeCommit ?? '',
  head: branchToRecord(pull.head),
  base: branchToRecord(pull.base),
  is_draft: pull.isDraft === true,
  ...(pull.merger && { merger_name: pull.merger.name }),
});

export const pullOfRecord = (record: PullRecord): SourcePullRequest => ({
  ...issueOfRecord(record),
  head: branchOfRecord(record.head),
  base: branchOfRecord(record.base),
  isMerged: record.merged === true,
  mergedAt: timeIn(record.merged_time),
  mergeCommit: record.merge_commit_sha ?? '',
  isDraft: record.is_draft === true,
  ...(record.merger_name && { merger: { name: record.merger_name } }),
});

interface CommentRecord extends Poster {
  readonly issue_index: number;
  readonly index?: number | null;
  readonly comment_type?: string | null;
  readonly created?: string | null;
  readonly updated?: string | null;
  readonly content?: string | null;
  readonly reactions?: ReactionRecords;
}
export const commentSchema = Joi.object<CommentRecord>({
  ...posterKeys,
  issue_index: Joi.number().integer().min(1).required(),
  index: id,
  comment_type: text,
  created: time,
  updated: time,
  content: text,
  reactions: reactionsSchema,
});

export const commentToRecord = (comment: SourceComment, index: number): CommentRecord => ({
  issue_index: comment.issue,
  index,
  ...posterOf(comment.author),
  created: timeOut(comment.createdAt),
  updated: timeOut(comment.updatedAt),
  content: comment.body,
  reactions: reactionsToRecord(comment.reactions),
});

/** `number`: in the order of the file. */
export const commentOfRecord = (record: CommentRecord, number: number): SourceComment => ({
  id: `${record.issue_index}-${number}`,
  issue: record.issue_index,
  body: record.content ?? '',
  author: userOfPoster(record),
  reactions: reactionsOfRecord(record.reactions),
  createdAt: timeIn(record.created),
  updatedAt: timeIn(record.updated),
});
