import { Joi } from '@mortise/plugin-sdk';
import { userSchema, type ApiUser } from '@mortise/accounts/api';

export interface ApiRepository {
  id: number;
  owner: ApiUser;
  name: string;
  full_name: string;
  description: string;
  empty: boolean;
  private: boolean;
  fork: boolean;
  template: boolean;
  parent?: ApiRepository | null;
  [field: string]: unknown;
}

const text = () => Joi.string().allow('').required();
const count = () => Joi.number().integer().required();
const flag = () => Joi.boolean().required();

export const repositorySchema: Joi.ObjectSchema<object> = Joi.object({
  id: count(),
  owner: userSchema.required(),
  name: Joi.string().required(),
  full_name: Joi.string().required(),
  description: text(),
  empty: flag(),
  private: flag(),
  fork: flag(),
  template: flag(),
  parent: Joi.object().unknown().allow(null).label('Repository').description('The repository this was forked from'),
  mirror: flag(),
  size: count().description('KiB on disk'),
  language: text(),
  languages_url: text(),
  html_url: text(),
  url: text(),
  link: text(),
  ssh_url: text(),
  clone_url: text(),
  original_url: text(),
  website: text(),
  stars_count: count(),
  forks_count: count(),
  watchers_count: count(),
  branch_count: count(),
  open_issues_count: count(),
  open_pr_counter: count(),
  release_counter: count(),
  default_branch: text(),
  default_target_branch: Joi.string().allow(''),
  archived: flag(),
  created_at: Joi.string().isoDate().required(),
  updated_at: Joi.string().isoDate().required(),
  archived_at: Joi.string().isoDate().required(),
  permissions: Joi.object({ admin: flag(), push: flag(), pull: flag() }).label('Permission'),
  has_code: flag(),
  has_issues: flag(),
  internal_tracker: Joi.object({
    enable_time_tracker: flag(),
    allow_only_contributors_to_track_time: flag(),
    enable_issue_dependencies: flag(),
  }).label('InternalTracker'),
  external_tracker: Joi.object({
    external_tracker_url: text(),
    external_tracker_format: text(),
    external_tracker_style: text(),
    external_tracker_regexp_pattern: text(),
  }).label('ExternalTracker'),
  external_wiki: Joi.object({ external_wiki_url: text() }).label('ExternalWiki'),
  has_wiki: flag(),
  has_pull_requests: flag(),
  has_projects: flag(),
  projects_mode: text(),
  has_releases: flag(),
  has_packages: flag(),
  has_actions: flag(),
  ignore_whitespace_conflicts: flag(),
  allow_merge_commits: flag(),
  allow_rebase: flag(),
  allow_rebase_explicit: flag(),
  allow_squash_merge: flag(),
  allow_fast_forward_only_merge: flag(),
  allow_merge_update: flag(),
  allow_rebase_update: flag(),
  allow_manual_merge: flag(),
  autodetect_manual_merge: flag(),
  default_delete_branch_after_merge: flag(),
  default_merge_style: text(),
  default_update_style: text(),
  default_allow_maintainer_edit: flag(),
  avatar_url: text(),
  internal: flag(),
  mirror_interval: text(),
  object_format_name: Joi.string().valid('sha1', 'sha256').required(),
  mirror_updated: Joi.string().isoDate(),
  mirror_last_sync_at: Joi.string().isoDate(),
  repo_transfer: Joi.object({
    doer: userSchema.required(),
    recipient: userSchema.required(),
    teams: Joi.array().items(Joi.object().unknown().label('Team')).allow(null),
  })
    .allow(null)
    .label('RepoTransfer'),
  topics: Joi.array().items(Joi.string()).allow(null),
  licenses: Joi.array().items(Joi.string()).allow(null),
}).label('Repository');
