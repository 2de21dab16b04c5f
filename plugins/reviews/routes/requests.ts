import { Forbidden, Invalid, Joi, defineRoute, reply, type Actor, type Route } from '@mortise/plugin-sdk';
import { mustBeActive, refuseBlocked } from '@mortise/repositories/api';
import type { PullContext } from '@mortise/pulls/api';
import { reviewListSchema } from '../contract/models.js';
import { requestedBy } from '../services/reviewers-extension.js';
import type { ReviewRouteDeps } from './reviews.js';
import { pullPath, tags, usePull } from './route-options.js';
import { mustReadCode } from '../services/participation.js';
import { t } from '../texts/index.js';

const names = Joi.array().items(Joi.string().max(255)).max(100).allow(null);
const body = Joi.object<{
  readonly reviewers?: readonly string[] | null;
  readonly team_reviewers?: readonly string[] | null;
}>({
  reviewers: names.description('Names or addresses of people'),
  team_reviewers: names.description('Teams of the owner'),
}).label('PullReviewRequestOptions');

/** Asking for reviews over the API. */
export function requestRoutes({ accounts, services }: ReviewRouteDeps): Route[] {
  const { presenter, requests, reviewers } = services;
  const path = `${pullPath}/requested_reviewers` as const;
  const mayAsk = ({ repository, issue }: PullContext, actor: Actor) =>
    reviewers.mayAsk(repository, issue.posterId, actor);

  return [
    defineRoute({
      method: 'POST',
      path,
      id: 'repoCreatePullReviewRequests',
      tags,
      summary: 'Ask people and teams for a review; the answer has those who were not asked yet',
      access: usePull,
      request: { payload: body },
      responses: { 201: reviewListSchema, 403: null, 404: null, 422: null, 423: null },
      async handler({ actor, resource, payload }) {
        mustReadCode(resource);
        const { repository, issue, pull, context } = resource;
        if (!(await mayAsk(resource, actor))) throw Invalid(t.later('error.mayNotAsk'));
        mustBeActive(context);
        await refuseBlocked(accounts, actor, repository.ownerId);
        const asked = await requestedBy(
          { users: payload.reviewers ?? [], teams: payload.team_reviewers ?? [] },
          { repository, branch: pull.baseBranch, posterId: issue.posterId, askerId: actor.id },
          reviewers,
        );
        if (issue.isClosed) throw Forbidden(t.later('error.closed'));
        const made = await requests.add(repository, issue, asked, actor.id);
        return reply.created(await presenter.reviews(made, actor));
      },
    }),
    defineRoute({
      method: 'DELETE',
      path,
      id: 'repoDeletePullReviewRequests',
      tags,
      summary: 'No longer ask for reviews; everybody may say that of themselves',
      access: usePull,
      request: { payload: body },
      responses: { 204: null, 403: null, 404: null, 422: null, 423: null },
      async handler({ actor, resource, payload }) {
        mustReadCode(resource);
        const { repository, issue, context } = resource;
        const users = await reviewers.users(payload.reviewers ?? []);
        const teams = await reviewers.teamsOf(repository, payload.team_reviewers ?? []);
        const isOwn = teams.length === 0 && users.every(({ id }) => id === actor.id);
        if (!isOwn && !(await mayAsk(resource, actor))) throw Invalid(t.later('error.mayNotAsk'));
        mustBeActive(context);
        if (issue.isClosed) throw Forbidden(t.later('error.closed'));
        const asked = [...users.map(({ id }) => ({ userId: id })), ...teams.map(({ id }) => ({ teamId: id }))];
        await requests.remove(repository, issue, asked, actor);
        return reply.none();
      },
    }),
  ];
}
