import { defineRoute, Joi, type Database, type Route } from '@mortise/plugin-sdk';
import { userSchema } from '@mortise/accounts/api';
import { mustBeActive, repositoryApi, repositoryTags } from '@mortise/repositories/api';
import type { DeploymentHistory } from '../../services/deployments/deployment-history.js';
import { maxComment, type DeploymentReviews } from '../../services/deployments/deployment-reviews.js';
import type { EnvironmentPresenter } from '../../services/deployments/environment-presenter.js';
import { briefEnvironment, deploymentSchema, reviewerSchema } from '../environments.js';
import { read, runIn } from './runs.js';

interface DeploymentRouteDeps {
  readonly database: Database;
  readonly reviews: DeploymentReviews;
  readonly history: DeploymentHistory;
  readonly presenter: EnvironmentPresenter;
}

const base = `${repositoryApi}/actions/runs/{run}`;
const tags = repositoryTags;
const environment = Joi.object(briefEnvironment).label('EnvironmentReference').required();

const pendingSchema = Joi.object({
  environment,
  wait_timer: Joi.number().integer().required().description('Minutes'),
  wait_timer_started_at: Joi.string().isoDate().required(),
  current_user_can_approve: Joi.boolean().required(),
  reviewers: Joi.array().items(reviewerSchema).required(),
}).label('PendingDeployment');

const reviewSchema = Joi.object({
  state: Joi.string().valid('approved', 'rejected').required(),
  comment: Joi.string().allow('').required(),
  user: userSchema.required(),
  environments: Joi.array().items(environment).required(),
}).label('EnvironmentApproval');

interface Review {
  readonly environment_ids: readonly number[];
  readonly state: 'approved' | 'rejected';
  readonly comment: string;
}
const reviewOption = Joi.object<Review>({
  environment_ids: Joi.array().items(Joi.number().integer().min(1)).min(1).max(100).required(),
  state: Joi.string().valid('approved', 'rejected').required(),
  comment: Joi.string().allow('').max(maxComment).default(''),
}).label('ReviewPendingDeploymentsOption');

const listPending = ({ database, reviews, presenter }: DeploymentRouteDeps) =>
  defineRoute({
    method: 'GET',
    path: `${base}/pending_deployments`,
    id: 'getPendingDeployments',
    tags,
    summary: 'Environments that jobs of a run wait for',
    access: read,
    responses: { 200: Joi.array().items(pendingSchema).label('PendingDeploymentList') },
    async handler({ resource, params, actor }) {
      const run = await runIn(database, resource.repository.id, params.run);
      return presenter.pending(resource, await reviews.pending(run, actor.id), actor);
    },
  });

const reviewPending = ({ database, reviews, history, presenter }: DeploymentRouteDeps) =>
  defineRoute({
    method: 'POST',
    path: `${base}/pending_deployments`,
    id: 'reviewPendingDeployments',
    tags,
    summary: 'Approve or reject deployments that wait for a review',
    access: read,
    request: { payload: reviewOption },
    responses: { 200: Joi.array().items(deploymentSchema).label('DeploymentList'), 422: null },
    async handler({ resource: { repository }, params, payload, actor }) {
      mustBeActive({ repository });
      const run = await runIn(database, repository.id, params.run);
      const { environment_ids: environmentIds, state, comment } = payload;
      const rows = await reviews.review(run, { environmentIds, isApproved: state === 'approved', comment }, actor.id);
      return presenter.deployments(repository, rows, await history.environments(rows), actor);
    },
  });

const listReviews = ({ database, reviews, presenter }: DeploymentRouteDeps) =>
  defineRoute({
    method: 'GET',
    path: `${base}/approvals`,
    id: 'getDeploymentReviews',
    tags,
    summary: 'What reviewers said to the deployments of a run',
    access: read,
    responses: { 200: Joi.array().items(reviewSchema).label('EnvironmentApprovalList') },
    async handler({ resource: { repository }, params, actor }) {
      const run = await runIn(database, repository.id, params.run);
      return presenter.reviews(repository, await reviews.reviewed(run.id), actor);
    },
  });

/** Deployments of a run that wait for a review, at GitHub's paths. */
export const deploymentRoutes = (deps: DeploymentRouteDeps): Route[] => [
  listPending(deps),
  reviewPending(deps),
  listReviews(deps),
];
