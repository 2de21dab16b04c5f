import { defineRoute, Invalid, Joi, pagingQuery, reply, type Route } from '@mortise/plugin-sdk';
import { userSchema } from '@mortise/accounts/api';
import { teamSchema } from '@mortise/organizations/api';
import { repositoryApi, repositoryResource, repositoryTags } from '@mortise/repositories/api';
import type { DeploymentHistory } from '../services/deployments/deployment-history.js';
import type { EnvironmentPresenter } from '../services/deployments/environment-presenter.js';
import {
  maxReviewers,
  maxWaitMinutes,
  type EnvironmentRules,
  type EnvironmentService,
} from '../services/deployments/environment-service.js';
import { t } from '../texts/index.js';

interface EnvironmentRouteDeps {
  readonly environments: EnvironmentService;
  readonly history: DeploymentHistory;
  readonly presenter: EnvironmentPresenter;
}

const path = `${repositoryApi}/environments`;
const tags = repositoryTags;
const unit = { scope: 'repository', resource: repositoryResource } as const;
const read = { actor: 'anyone', ...unit, unit: 'actions' } as const;
const administer = { actor: 'user', ...unit, mode: 'admin' } as const;

const text = () => Joi.string().allow('').required();
const count = () => Joi.number().integer().required();
const time = () => Joi.string().isoDate().required();

export const briefEnvironment = { id: count(), name: text(), url: text(), html_url: text() };

export const reviewerSchema = Joi.object({
  type: Joi.string().valid('User', 'Team').required(),
  id: count(),
  reviewer: Joi.alternatives(userSchema, teamSchema)
    .allow(null)
    .required()
    .description('Null for what is gone, and for a team that you may not see'),
  is_gone: Joi.boolean().required().description('Nobody can approve as this reviewer any more: name another'),
}).label('EnvironmentReviewer');

const branchPolicy = Joi.object({
  protected_branches: Joi.boolean().required(),
  custom_branch_policies: Joi.boolean().required(),
})
  .allow(null)
  .label('DeploymentBranchPolicy');

const environmentSchema = Joi.object({
  ...briefEnvironment,
  created_at: time(),
  updated_at: time(),
  protection_rules: Joi.array()
    .items(
      Joi.object({
        type: Joi.string().valid('wait_timer', 'required_reviewers', 'branch_policy').required(),
        wait_timer: Joi.number().integer().description('Minutes'),
        prevent_self_review: Joi.boolean(),
        reviewers: Joi.array().items(reviewerSchema),
      }).label('EnvironmentProtectionRule'),
    )
    .required(),
  deployment_branch_policy: branchPolicy.required(),
  branch_patterns: Joi.array().items(Joi.string()).required().description('None: all branches and tags'),
}).label('Environment');

const environmentListSchema = Joi.object({
  total_count: count(),
  environments: Joi.array().items(environmentSchema).required(),
}).label('EnvironmentList');

export const deploymentSchema = Joi.object({
  id: count(),
  sha: text(),
  ref: text(),
  task: text(),
  environment: text(),
  environment_url: text(),
  state: Joi.string().valid('waiting', 'queued', 'in_progress', 'success', 'failure', 'error', 'inactive').required(),
  creator: userSchema.required(),
  run_id: count(),
  run_url: text(),
  created_at: time(),
  updated_at: time(),
}).label('Deployment');

interface PutEnvironment {
  readonly wait_timer?: number | null;
  readonly prevent_self_review?: boolean | null;
  readonly reviewers?: readonly { readonly type: 'User' | 'Team'; readonly id: number }[] | null;
  readonly deployment_branch_policy?: {
    readonly protected_branches: boolean;
    readonly custom_branch_policies: boolean;
  } | null;
  readonly branch_patterns?: readonly string[] | null;
}
const putSchema = Joi.object<PutEnvironment>({
  wait_timer: Joi.number().integer().min(0).max(maxWaitMinutes).allow(null).description('Minutes'),
  prevent_self_review: Joi.boolean().allow(null),
  reviewers: Joi.array()
    .items(
      Joi.object({
        type: Joi.string().valid('User', 'Team').required(),
        id: Joi.number().integer().min(1).required(),
      }).label('EnvironmentReviewerOption'),
    )
    .max(maxReviewers)
    .allow(null),
  deployment_branch_policy: branchPolicy,
  branch_patterns: Joi.array().items(Joi.string().max(255)).max(50).allow(null).description('Of branches and tags'),
})
  .allow(null)
  .label('EnvironmentOption');

/** As GitHub's, absent ones are those of an environment without rules; the patterns come with the rest. */
function rulesOf(given: PutEnvironment | null): EnvironmentRules {
  const { deployment_branch_policy: policy, branch_patterns: patterns } = given ?? {};
  if (policy?.protected_branches || (policy?.custom_branch_policies && !patterns?.length))
    throw Invalid(t.later('error.branchPolicy'));
  const idsOf = (kind: 'User' | 'Team') =>
    (given?.reviewers ?? []).filter(({ type }) => type === kind).map(({ id }) => id);
  return {
    reviewers: idsOf('User'),
    reviewerTeams: idsOf('Team'),
    preventsSelfReview: given?.prevent_self_review ?? false,
    waitMinutes: given?.wait_timer ?? 0,
    branchPatterns: patterns ?? [],
  };
}

const listEnvironments = ({ environments, presenter }: EnvironmentRouteDeps) =>
  defineRoute({
    method: 'GET',
    path,
    id: 'repoListEnvironments',
    tags,
    summary: 'Environments of a repository',
    access: read,
    request: { query: Joi.object(pagingQuery) },
    responses: { 200: environmentListSchema },
    async handler({ resource, page, actor }) {
      const { rows, total } = await environments.list(resource.repository.id, page);
      return { total_count: total, environments: await presenter.environments(resource, rows, actor) };
    },
  });

const getEnvironment = ({ environments, presenter }: EnvironmentRouteDeps) =>
  defineRoute({
    method: 'GET',
    path: `${path}/{environment_name}`,
    id: 'repoGetEnvironment',
    tags,
    summary: 'An environment with its rules',
    access: read,
    responses: { 200: environmentSchema },
    async handler({ resource, params, actor }) {
      const row = await environments.get(resource.repository.id, params.environment_name);
      return (await presenter.environments(resource, [row], actor))[0];
    },
  });

const putEnvironment = ({ environments, presenter }: EnvironmentRouteDeps) =>
  defineRoute({
    method: 'PUT',
    path: `${path}/{environment_name}`,
    id: 'repoCreateOrUpdateEnvironment',
    tags,
    summary: 'Create an environment, or give it other rules',
    access: administer,
    request: { payload: putSchema },
    responses: { 200: environmentSchema, 422: null },
    async handler({ resource, params, payload, actor }) {
      const { repository } = resource;
      const rules = rulesOf(payload);
      const known = await environments.find(repository.id, params.environment_name);
      const row = known
        ? await environments.update(repository, known, rules)
        : await environments.create(repository, params.environment_name, rules);
      return (await presenter.environments(resource, [row], actor))[0];
    },
  });

const deleteEnvironment = ({ environments }: EnvironmentRouteDeps) =>
  defineRoute({
    method: 'DELETE',
    path: `${path}/{environment_name}`,
    id: 'repoDeleteEnvironment',
    tags,
    summary: 'Delete an environment that no job waits for, with its history',
    access: administer,
    responses: { 204: null, 409: null },
    async handler({ resource: { repository }, params }) {
      await environments.remove(await environments.get(repository.id, params.environment_name));
      return reply.none();
    },
  });

const listDeployments = ({ environments, history, presenter }: EnvironmentRouteDeps) =>
  defineRoute({
    method: 'GET',
    path: `${repositoryApi}/deployments`,
    id: 'repoListDeployments',
    tags,
    summary: 'Deployments of a repository, newest first',
    access: read,
    request: {
      query: Joi.object<{ readonly environment?: string }>({
        ...pagingQuery,
        environment: Joi.string().max(255).description('Name of the environment'),
      }),
    },
    responses: { 200: Joi.array().items(deploymentSchema).label('DeploymentList') },
    async handler({ resource: { repository }, query, page, actor }) {
      const environment = query.environment && (await environments.get(repository.id, query.environment));
      const of = { repositoryId: repository.id, ...(environment && { environmentId: environment.id }) };
      const { rows, total } = await history.list(of, page);
      return reply.list(await presenter.deployments(repository, rows, await history.environments(rows), actor), total);
    },
  });

/** Environments of a repository and what was deployed to them, at GitHub's paths. */
export function environmentRoutes(deps: EnvironmentRouteDeps): Route[] {
  return [
    listEnvironments(deps),
    getEnvironment(deps),
    putEnvironment(deps),
    deleteEnvironment(deps),
    listDeployments(deps),
  ];
}
