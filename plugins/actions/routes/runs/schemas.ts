import { Joi, pagingQuery, queryFlag } from '@mortise/plugin-sdk';
import { userSchema } from '@mortise/accounts/api';
import { repositorySchema } from '@mortise/repositories/api';

const text = () => Joi.string().allow('').required();
const count = () => Joi.number().integer().required();
const time = () => Joi.string().isoDate().required();

const pullSide = Joi.object({
  ref: text(),
  sha: text(),
  repo: Joi.object({ id: count(), name: text(), url: text() }).label('PullRequestMinimalHeadRepo').required(),
}).label('PullRequestMinimalHead');

export const runSchema = Joi.object({
  id: count(),
  url: text(),
  html_url: text(),
  display_title: text(),
  path: text(),
  event: text(),
  run_attempt: count().description('0: from before there were attempts'),
  previous_attempt_url: Joi.string().allow(null).required(),
  run_number: count(),
  repository_id: count(),
  head_sha: text(),
  head_branch: text(),
  status: text(),
  conclusion: text(),
  actor: userSchema.required(),
  trigger_actor: userSchema.required(),
  repository: repositorySchema.required(),
  head_repository: repositorySchema.required(),
  pull_requests: Joi.array()
    .items(
      Joi.object({
        id: count(),
        number: count(),
        url: text(),
        head: pullSide.required(),
        base: pullSide.required(),
      }).label('PullRequestMinimal'),
    )
    .required(),
  started_at: time(),
  completed_at: time(),
  created_at: time(),
  updated_at: time(),
  jobs_url: text(),
  logs_url: text(),
  artifacts_url: text(),
  cancel_url: text(),
  rerun_url: text(),
}).label('ActionWorkflowRun');

export const runListSchema = Joi.object({
  total_count: count(),
  workflow_runs: Joi.array().items(runSchema).required(),
}).label('ActionWorkflowRunsResponse');

export const jobSchema = Joi.object({
  id: count(),
  url: text(),
  html_url: text(),
  run_id: count(),
  run_url: text(),
  name: text(),
  labels: Joi.array().items(Joi.string()).required(),
  run_attempt: count(),
  head_sha: text(),
  head_branch: text(),
  status: text(),
  conclusion: text(),
  runner_id: count(),
  runner_name: text(),
  steps: Joi.array()
    .items(
      Joi.object({
        name: text(),
        number: count(),
        status: text(),
        conclusion: text(),
        started_at: time(),
        completed_at: time(),
      }).label('ActionWorkflowStep'),
    )
    .required(),
  created_at: time(),
  started_at: time(),
  completed_at: time(),
}).label('ActionWorkflowJob');

export const jobListSchema = Joi.object({
  total_count: count(),
  jobs: Joi.array().items(jobSchema).required(),
}).label('ActionWorkflowJobsResponse');

export const workflowSchema = Joi.object({
  id: Joi.string().required().description('Name of the file (ACT-22)'),
  name: text(),
  path: text(),
  state: Joi.string().valid('active', 'disabled_manually').required(),
  created_at: time(),
  updated_at: time(),
  deleted_at: time(),
  url: text(),
  html_url: text(),
  badge_url: text(),
}).label('ActionWorkflow');

export const workflowListSchema = Joi.object({
  total_count: count(),
  workflows: Joi.array().items(workflowSchema).required(),
}).label('ActionWorkflowResponse');

export const dispatchSchema = Joi.object({
  workflow_run_id: count(),
  run_url: text(),
  html_url: text(),
}).label('RunDetails');

const textOrList = Joi.alternatives(Joi.string().allow(''), Joi.array().items(Joi.string().allow('')));

export interface RunQuery {
  readonly event?: string;
  readonly branch?: string;
  readonly status?: string | readonly string[];
  readonly actor?: string;
  readonly head_sha?: string;
  readonly exclude_pull_requests?: boolean;
  readonly scoped_workflow_source_repo_id?: number;
}
export const runQuery = Joi.object<RunQuery>({
  ...pagingQuery,
  event: Joi.string().allow('').description('What started them'),
  branch: Joi.string().allow(''),
  status: textOrList.description('How they stand; several: one of them'),
  actor: Joi.string().allow('').description('Name of whoever started them'),
  head_sha: Joi.string().allow('').description('Whole id of the commit'),
  exclude_pull_requests: queryFlag().description('Leaves pull_requests empty'),
  scoped_workflow_source_repo_id: Joi.number().integer().min(0).description('Of the scoped workflow of that source'),
}).label('RunSearch');

export interface JobQuery {
  readonly status?: string | readonly string[];
  readonly sort?: string;
  readonly order?: string;
}
export const jobQuery = Joi.object<JobQuery>({
  ...pagingQuery,
  status: textOrList.description('How they stand; several: one of them'),
  sort: Joi.string().allow('').description('id'),
  order: Joi.string().allow('').description('asc or desc'),
}).label('JobSearch');
