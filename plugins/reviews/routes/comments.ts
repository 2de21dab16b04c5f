import { BadRequest, Forbidden, Joi, NotFound, defineRoute, reply, type Actor, type Route } from '@mortise/plugin-sdk';
import type { Issues, Timeline } from '@mortise/issues/api';
import { mustBeActive, refuseBlocked, type RepositoryContext } from '@mortise/repositories/api';
import { reviewCommentSchema } from '../contract/models.js';
import { ReviewReader } from '../services/review-reader.js';
import { byId, pullPath, pullsPath, tags, usePull, usePulls } from './route-options.js';
import { checkParticipation, mustReadCode } from '../services/participation.js';
import type { ReviewRouteDeps } from './reviews.js';
import { t } from '../texts/index.js';

interface CommentRouteDeps extends ReviewRouteDeps {
  readonly issues: Issues;
  readonly timeline: Timeline;
}

const replyBody = Joi.object<{ readonly body: string }>({
  body: Joi.string().trim().max(1_000_000).required().description('Markdown'),
}).label('CreatePullReviewCommentReplyOptions');

/** Comments on lines: answering and settling them. */
export function commentRoutes({ accounts, issues, timeline, services }: CommentRouteDeps): Route[] {
  const { reader, presenter, comments } = services;
  const visible = async (id: number, actor: { readonly id: number }) => {
    const comment = await reader.comment(id);
    const review = comment && (await reader.byId(comment.reviewId));
    return review && ReviewReader.isVisible(review, actor) ? comment : undefined;
  };
  const settle = async (resource: RepositoryContext, id: number, actor: Actor, is: boolean) => {
    mustReadCode({ context: resource });
    const { repository } = resource;
    const comment = await visible(id, actor);
    const issue = comment && (await issues.byId(comment.issueId));
    if (!comment || issue?.repositoryId !== repository.id) {
      const other = await timeline.byId(id);
      if (other?.repositoryId !== repository.id) throw NotFound('comment');
      throw BadRequest(t.later('error.notOnLine'));
    }
    const isPoster = issue.posterId === actor.id && actor.kind !== 'task';
    const may = isPoster || resource.may('write', 'pulls') || resource.may('write', 'code');
    if (!may) throw Forbidden(t.later('error.resolve'));
    mustBeActive(resource);
    await refuseBlocked(accounts, actor, repository.ownerId);
    await comments.resolve(issue, comment, is, actor);
    return reply.none();
  };

  return [
    defineRoute({
      method: 'POST',
      path: `${pullPath}/comments/{id}/replies`,
      id: 'repoCreatePullReviewCommentReply',
      tags,
      summary: 'Answer a comment on a line',
      access: usePull,
      request: { params: byId, payload: replyBody },
      responses: { 201: reviewCommentSchema, 400: null, 403: null, 404: null, 422: null, 423: null },
      async handler({ actor, resource, params, payload }) {
        mustReadCode(resource);
        const comment = await visible(params.id, actor);
        if (comment?.issueId !== resource.issue.id) throw NotFound('comment');
        await checkParticipation(accounts, resource, actor);
        const made = await comments.reply(resource, comment, payload.body, actor);
        return reply.created((await presenter.comments([made], actor))[0]);
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${pullsPath}/comments/{id}/resolve`,
      id: 'repoResolvePullReviewComment',
      tags,
      summary: 'Settle the conversation that a comment is part of',
      access: usePulls,
      request: { params: byId },
      responses: { 204: null, 400: null, 403: null, 404: null, 423: null },
      handler: ({ actor, resource, params }) => settle(resource, params.id, actor, true),
    }),
    defineRoute({
      method: 'POST',
      path: `${pullsPath}/comments/{id}/unresolve`,
      id: 'repoUnresolvePullReviewComment',
      tags,
      summary: 'Open the conversation that a comment is part of again',
      access: usePulls,
      request: { params: byId },
      responses: { 204: null, 400: null, 403: null, 404: null, 423: null },
      handler: ({ actor, resource, params }) => settle(resource, params.id, actor, false),
    }),
  ];
}
