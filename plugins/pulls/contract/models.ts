import { Joi } from '@mortise/plugin-sdk';
import { userSchema, type ApiUser } from '@mortise/accounts/api';
import {
  issueFieldsOfPulls,
  labelSchema,
  milestoneSchema,
  type ApiLabel,
  type ApiMilestone,
  type PullFieldRecords,
} from '@mortise/issues/api';
import { teamSchema } from '@mortise/organizations/api';
import { repositorySchema, type ApiRepository } from '@mortise/repositories/api';

export interface ApiPullBranch {
  label: string;
  ref: string;
  sha: string;
  repo_id: number;
  repo: ApiRepository | null;
}

export interface ApiPullRequest extends PullFieldRecords {
  id: number;
  url: string;
  number: number;
  user: ApiUser;
  title: string;
  body: string;
  labels: ApiLabel[];
  milestone: ApiMilestone | null;
  assignee: ApiUser | null;
  assignees: ApiUser[];
  requested_reviewers: ApiUser[];
  requested_reviewers_teams: object[];
  state: 'open' | 'closed';
  draft: boolean;
  is_locked: boolean;
  comments: number;
  review_comments: number;
  additions: number;
  deletions: number;
  changed_files: number;
  html_url: string;
  diff_url: string;
  patch_url: string;
  mergeable: boolean;
  merged: boolean;
  merged_at: string | null;
  merge_commit_sha: string | null;
  merged_by: ApiUser | null;
  allow_maintainer_edit: boolean;
  base: ApiPullBranch;
  head: ApiPullBranch;
  merge_base: string;
  created_at: string;
  updated_at: string;
  closed_at: string | null;
  pin_order: number;
  content_version: number;
}

const text = () => Joi.string().allow('').required();
const count = () => Joi.number().integer().required();
const flag = () => Joi.boolean().required();
const time = () => Joi.string().isoDate().required();
const maybe = () => Joi.string().isoDate().allow(null).required();

const branchSchema = Joi.object<ApiPullBranch>({
  label: text().description('The branch, or what it was'),
  ref: text().description('The branch; `refs/pull/N/head` where there is none any more'),
  sha: text(),
  repo_id: count(),
  repo: repositorySchema.allow(null).required(),
}).label('PRBranchInfo');

export const pullSchema = Joi.object<ApiPullRequest>({
  id: count(),
  url: Joi.string().required(),
  number: count(),
  user: userSchema.required(),
  title: text(),
  body: text(),
  labels: Joi.array().items(labelSchema).required(),
  milestone: milestoneSchema.allow(null).required(),
  assignee: userSchema.allow(null).required(),
  assignees: Joi.array().items(userSchema).required(),
  requested_reviewers: Joi.array().items(userSchema).required().description('PUL-01'),
  requested_reviewers_teams: Joi.array().items(teamSchema).required(),
  state: Joi.string().valid('open', 'closed').required(),
  draft: flag(),
  is_locked: flag(),
  comments: count(),
  review_comments: count(),
  additions: count(),
  deletions: count(),
  changed_files: count(),
  html_url: Joi.string().required(),
  diff_url: Joi.string().required(),
  patch_url: Joi.string().required(),
  mergeable: flag().description('False also while that is being found out (PUL-03)'),
  merged: flag(),
  merged_at: maybe(),
  merge_commit_sha: Joi.string().allow(null).required(),
  merged_by: userSchema.allow(null).required(),
  allow_maintainer_edit: flag(),
  base: branchSchema.required(),
  head: branchSchema.required(),
  merge_base: text(),
  ...issueFieldsOfPulls.recordSchemas,
  created_at: time(),
  updated_at: time(),
  closed_at: maybe(),
  pin_order: count(),
  content_version: count(),
}).label('PullRequest');
export const pullListSchema: Joi.ArraySchema<object[]> = Joi.array().items(pullSchema).label('PullRequestList');
