import { Forbidden, Invalid, Joi, NotFound, defineRoute, reply, type Actor, type Route } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import { isOid } from '@mortise/git/api';
import type { PullContext } from '@mortise/pulls/api';
import { mustBeActive } from '@mortise/repositories/api';
import { reviewCommentListSchema, reviewListSchema, reviewSchema, type ApiReviewState } from '../contract/models.js';
import type { NewReview, NewReviewComment, Review } from '../contract/reviews.js';
import { ReviewReader } from '../services/review-reader.js';
import type { ReviewServices } from '../services/services.js';
import { byId, pullPath, readPull, tags, usePull } from './route-options.js';
import { checkParticipation, mustReadCode } from '../services/participation.js';
import { t } from '../texts/index.js';

export interface ReviewRouteDeps {
  readonly accounts: Accounts;
  readonly services: ReviewServices;
}

const maxBody = 1_000_000;
const maxComments = 300;
const line = (note: string) => Joi.number().integer().min(0).max(10_000_000).allow(null).description(note);
interface CommentBody {
  readonly path: string;
  readonly body: string;
  readonly new_position?: number | null;
  readonly old_position?: number | null;
  readonly start_position?: number | null;
}
const commentBody = Joi.object<CommentBody>({
  path: Joi.string().max(4096).required(),
  body: Joi.string().max(maxBody).required().description('Markdown'),
  new_position: line('Line of the new file'),
  old_position: line('Line of the old file'),
  start_position: line('First of several lines, on the same side'),
}).label('CreatePullReviewComment');

const event = Joi.string()
  .valid('APPROVED', 'PENDING', 'COMMENT', 'REQUEST_CHANGES', 'REQUEST_REVIEW')
  .allow('', null)
  .description('Default: PENDING');
const text = Joi.string().allow('', null).max(maxBody).description('Markdown');
interface SubmitBody {
  readonly event?: ApiReviewState | '' | null;
  readonly body?: string | null;
}
interface CreateBody extends SubmitBody {
  readonly commit_id?: string | null;
  readonly comments?: readonly CommentBody[] | null;
}
const createBody = Joi.object<CreateBody>({
  event,
  body: text,
  commit_id: Joi.string().allow('', null).max(64).description('What was looked at; default: the head'),
  comments: Joi.array().items(commentBody).max(maxComments).allow(null),
}).label('CreatePullReviewOptions');
const submitBody = Joi.object<SubmitBody>({ event, body: text }).label('SubmitPullReviewOptions');
const dismissBody = Joi.object<{ readonly message?: string | null; readonly priors?: boolean | null }>({
  message: Joi.string().allow('', null).max(maxBody),
  priors: Joi.boolean().allow(null).description('Also all earlier ones of that person'),
}).label('DismissPullReviewOptions');

const states: Readonly<Partial<Record<ApiReviewState, NewReview['state']>>> = {
  APPROVED: 'approved',
  PENDING: 'pending',
  COMMENT: 'comment',
  REQUEST_CHANGES: 'rejected',
};
function stateOf(given: SubmitBody['event']): NewReview['state'] {
  const state = states[given || 'PENDING'];
  if (!state) throw Invalid(t.later('error.event'));
  return state;
}

function commentOf({
  path,
  body,
  new_position: now,
  old_position: old,
  start_position: start,
}: CommentBody): NewReviewComment {
  const number = now || old;
  if (!number) throw Invalid(t.later('error.comment.noLine', { path }));
  return { path, body, side: now ? 'new' : 'old', line: number, ...(start && { startLine: start }) };
}

const list = `${pullPath}/reviews` as const;

const one = `${list}/{id}` as const;

const mustAdminister = (resource: PullContext) => {
  mustReadCode(resource);
  if (!resource.may('admin')) throw Forbidden(t.later('error.needsAdmin'));
  mustBeActive(resource.context);
};

/** What these routes share. */
function reviewContext({ accounts, services }: ReviewRouteDeps) {
  const { reader, presenter, writer } = services;
  const show = async (review: Review, actor: Actor) => (await presenter.reviews([review], actor))[0];
  const find = async (resource: PullContext, id: number, actor: Actor) => {
    mustReadCode(resource);
    const review = await reader.byId(id);
    if (review?.issueId !== resource.issue.id || !ReviewReader.isVisible(review, actor)) throw NotFound('review');
    return review;
  };
  return { reader, presenter, accounts, writer, show, find };
}

type ReviewRouteContext = ReturnType<typeof reviewContext>;

const repoListPullReviews = ({ reader, presenter }: ReviewRouteContext) =>
  defineRoute({
    method: 'GET',
    path: list,
    id: 'repoListPullReviews',
    tags,
    summary: 'Reviews of a pull request and requests for them, oldest first',
    access: readPull,
    responses: { 200: reviewListSchema, 403: null, 404: null },
    async handler({ actor, resource, page }) {
      mustReadCode(resource);
      const { items, total } = await reader.list(resource.issue.id, actor, page);
      return reply.list(await presenter.reviews(items, actor), total);
    },
  });

const repoCreatePullReview = ({ accounts, writer, show }: ReviewRouteContext) =>
  defineRoute({
    method: 'POST',
    path: list,
    id: 'repoCreatePullReview',
    tags,
    summary: 'Review a pull request; what one keeps pending is sent with it',
    access: usePull,
    request: { payload: createBody },
    responses: { 200: reviewSchema, 403: null, 404: null, 422: null, 423: null },
    async handler({ actor, resource, payload }) {
      mustReadCode(resource);
      await checkParticipation(accounts, resource, actor);
      const { commit_id: commitId } = payload;
      if (commitId && !isOid(commitId)) throw Invalid(t.later('error.noCommit'));
      const review = await writer.submit(
        resource,
        {
          state: stateOf(payload.event),
          body: payload.body ?? '',
          ...(commitId && { commitId }),
          comments: (payload.comments ?? []).map(commentOf),
        },
        actor,
      );
      return show(review, actor);
    },
  });

const repoGetPullReview = ({ show, find }: ReviewRouteContext) =>
  defineRoute({
    method: 'GET',
    path: one,
    id: 'repoGetPullReview',
    tags,
    summary: 'One review',
    access: readPull,
    request: { params: byId },
    responses: { 200: reviewSchema, 403: null, 404: null },
    handler: async ({ actor, resource, params }) => show(await find(resource, params.id, actor), actor),
  });

const repoSubmitPullReview = ({ find, accounts, show, writer }: ReviewRouteContext) =>
  defineRoute({
    method: 'POST',
    path: one,
    id: 'repoSubmitPullReview',
    tags,
    summary: 'Send a review that one keeps pending',
    access: usePull,
    request: { params: byId, payload: submitBody },
    responses: { 200: reviewSchema, 403: null, 404: null, 422: null, 423: null },
    async handler({ actor, resource, params, payload }) {
      const review = await find(resource, params.id, actor);
      await checkParticipation(accounts, resource, actor);
      if (review.state !== 'pending') throw Invalid(t.later('error.notPending'));
      const state = stateOf(payload.event);
      if (state === 'pending') throw Invalid(t.later('error.event'));
      return show(await writer.submit(resource, { state, body: payload.body ?? '' }, actor, review), actor);
    },
  });

const repoDeletePullReview = ({ find, writer }: ReviewRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: one,
    id: 'repoDeletePullReview',
    tags,
    summary: 'Delete a review of one’s own',
    access: usePull,
    request: { params: byId },
    responses: { 204: null, 403: null, 404: null, 423: null },
    async handler({ actor, resource, params }) {
      const review = await find(resource, params.id, actor);
      const isOwn = review.state !== 'request' && review.reviewerId === actor.id;
      if (!isOwn && !actor.isAdmin) throw Forbidden(t.later('error.notYours'));
      mustBeActive(resource.context);
      await writer.delete(resource.issue, review, actor);
      return reply.none();
    },
  });

const repoGetPullReviewComments = ({ find, presenter, reader }: ReviewRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${one}/comments`,
    id: 'repoGetPullReviewComments',
    tags,
    summary: 'Comments on lines of a review, with the answers to them',
    access: readPull,
    request: { params: byId },
    responses: { 200: reviewCommentListSchema, 403: null, 404: null },
    async handler({ actor, resource, params }) {
      const review = await find(resource, params.id, actor);
      return presenter.comments(await reader.commentsOf(review.id), actor);
    },
  });

const repoDismissPullReview = ({ find, show, writer }: ReviewRouteContext) =>
  defineRoute({
    method: 'POST',
    path: `${one}/dismissals`,
    id: 'repoDismissPullReview',
    tags,
    summary: 'Dismiss an opinion: it does not count any more',
    access: usePull,
    request: { params: byId, payload: dismissBody },
    responses: { 200: reviewSchema, 403: null, 404: null, 422: null, 423: null },
    async handler({ actor, resource, params, payload }) {
      const review = await find(resource, params.id, actor);
      mustAdminister(resource);
      const by = { message: payload.message ?? '', priors: payload.priors ?? false, actor };
      return show(await writer.dismiss(resource.issue, review, by), actor);
    },
  });

const repoUnDismissPullReview = ({ find, show, writer }: ReviewRouteContext) =>
  defineRoute({
    method: 'POST',
    path: `${one}/undismissals`,
    id: 'repoUnDismissPullReview',
    tags,
    summary: 'Let an opinion count again',
    access: usePull,
    request: { params: byId },
    responses: { 200: reviewSchema, 403: null, 404: null, 422: null, 423: null },
    async handler({ actor, resource, params }) {
      const review = await find(resource, params.id, actor);
      mustAdminister(resource);
      return show(await writer.undismiss(resource.issue, review, actor), actor);
    },
  });

/** Reviews over the API. */
export function reviewRoutes(deps: ReviewRouteDeps): Route[] {
  const context = reviewContext(deps);
  return [
    repoListPullReviews(context),
    repoCreatePullReview(context),
    repoGetPullReview(context),
    repoSubmitPullReview(context),
    repoDeletePullReview(context),
    repoGetPullReviewComments(context),
    repoDismissPullReview(context),
    repoUnDismissPullReview(context),
  ];
}
