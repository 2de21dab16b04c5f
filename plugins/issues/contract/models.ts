import { Joi } from '@mortise/plugin-sdk';
import { userSchema, type ApiUser } from '@mortise/accounts/api';
import { attachmentSchema, type ApiAttachment } from '@mortise/attachments/api';
import { teamSchema } from '@mortise/organizations/api';
import { recordSchemas, type FieldRecords } from '../fields/values.js';

export interface ApiLabel {
  id: number;
  name: string;
  exclusive: boolean;
  is_archived: boolean;
  color: string;
  description: string;
  url: string;
}

export interface ApiMilestone {
  id: number;
  title: string;
  description: string;
  state: 'open' | 'closed';
  open_issues: number;
  closed_issues: number;
  created_at: string;
  updated_at: string;
  closed_at: string | null;
  due_on: string | null;
}

export interface ApiIssue extends FieldRecords {
  id: number;
  url: string;
  html_url: string;
  number: number;
  user: ApiUser;
  original_author: string;
  original_author_id: number;
  title: string;
  body: string;
  assets: ApiAttachment[];
  labels: ApiLabel[];
  milestone: ApiMilestone | null;
  projects: object[] | null;
  assignee: ApiUser | null;
  assignees: ApiUser[] | null;
  state: 'open' | 'closed';
  is_locked: boolean;
  comments: number;
  created_at: string;
  updated_at: string;
  closed_at: string | null;
  pull_request: object | null;
  repository: { id: number; name: string; owner: string; full_name: string };
  pin_order: number;
  content_version: number;
}

export interface ApiComment {
  id: number;
  html_url: string;
  pull_request_url: string;
  issue_url: string;
  user: ApiUser;
  original_author: string;
  original_author_id: number;
  body: string;
  assets: ApiAttachment[];
  created_at: string;
  updated_at: string;
}

export { timeOrNull } from '../fields/dates.js';

/** The branch stands beside the texts, where clients have always found it. */
const { ref: refSchema, ...fieldSchemas } = recordSchemas();

const text = () => Joi.string().allow('').required();
const count = () => Joi.number().integer().required();
const flag = () => Joi.boolean().required();
const time = () => Joi.string().isoDate().required();
const maybe = () => Joi.string().isoDate().allow(null).required();
const state = () => Joi.string().valid('open', 'closed').required();

export const labelSchema = Joi.object<ApiLabel>({
  id: count(),
  name: Joi.string().required(),
  exclusive: flag().description('At most one of its scope stays on an issue (ISS-03)'),
  is_archived: flag(),
  color: Joi.string().required().description('Six hexadecimal digits'),
  description: text(),
  url: Joi.string().required(),
}).label('Label');

export const milestoneSchema = Joi.object<ApiMilestone>({
  id: count(),
  title: text(),
  description: text(),
  state: state(),
  open_issues: count(),
  closed_issues: count(),
  created_at: time(),
  updated_at: time(),
  closed_at: maybe(),
  due_on: maybe(),
}).label('Milestone');

export const issueSchema = Joi.object<ApiIssue>({
  id: count(),
  url: Joi.string().required(),
  html_url: Joi.string().required(),
  number: count(),
  user: userSchema.required(),
  original_author: text(),
  original_author_id: count(),
  title: text(),
  body: text(),
  ref: refSchema,
  assets: Joi.array().items(attachmentSchema).required(),
  labels: Joi.array().items(labelSchema).required(),
  milestone: milestoneSchema.allow(null).required(),
  projects: Joi.array().items(Joi.any()).allow(null).required(),
  assignee: userSchema.allow(null).required(),
  assignees: Joi.array().items(userSchema).allow(null).required(),
  state: state(),
  is_locked: flag(),
  comments: count(),
  created_at: time(),
  updated_at: time(),
  closed_at: maybe(),
  ...fieldSchemas,
  pull_request: Joi.object({
    merged: flag(),
    merged_at: maybe(),
    draft: flag(),
    html_url: Joi.string().required(),
  })
    .label('PullRequestMeta')
    .allow(null)
    .required(),
  repository: Joi.object({
    id: count(),
    name: Joi.string().required(),
    owner: Joi.string().required(),
    full_name: Joi.string().required(),
  })
    .label('RepositoryMeta')
    .required(),
  pin_order: count(),
  content_version: count().description('Grows with each change of the body'),
}).label('Issue');

export const commentSchema = Joi.object<ApiComment>({
  id: count(),
  html_url: Joi.string().required(),
  pull_request_url: text(),
  issue_url: text(),
  user: userSchema.required(),
  original_author: text(),
  original_author_id: count(),
  body: text(),
  assets: Joi.array().items(attachmentSchema).required(),
  created_at: time(),
  updated_at: time(),
}).label('Comment');

/** Time spent on an issue; the plugin `time-tracking` makes it. */
export const trackedTimeSchema: Joi.ObjectSchema<object> = Joi.object({
  id: count(),
  created: time(),
  time: count().description('Seconds'),
  user_id: count(),
  user_name: text(),
  issue_id: count(),
  issue: issueSchema.allow(null).required(),
}).label('TrackedTime');

export const timelineSchema: Joi.ObjectSchema<object> = Joi.object({
  id: count(),
  type: Joi.string().required(),
  html_url: text(),
  pull_request_url: text(),
  issue_url: text(),
  user: userSchema.required(),
  body: text(),
  created_at: time(),
  updated_at: time(),
  old_project_id: count(),
  project_id: count(),
  old_milestone: milestoneSchema.allow(null).required(),
  milestone: milestoneSchema.allow(null).required(),
  tracked_time: trackedTimeSchema.allow(null).required(),
  old_title: text(),
  new_title: text(),
  old_ref: text(),
  new_ref: text(),
  ref_issue: issueSchema.allow(null).required(),
  ref_comment: commentSchema.allow(null).required(),
  ref_action: text(),
  ref_commit_sha: text(),
  review_id: count(),
  label: labelSchema.allow(null).required(),
  assignee: userSchema.allow(null).required(),
  assignee_team: teamSchema.allow(null).required(),
  removed_assignee: flag(),
  resolve_doer: userSchema.allow(null).required(),
  dependent_issue: issueSchema.allow(null).required(),
  hidden_reason: text().description(
    'Of a comment that pages show folded: off-topic, outdated, resolved, spam or duplicate',
  ),
}).label('TimelineComment');
