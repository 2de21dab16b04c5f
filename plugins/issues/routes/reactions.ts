import { Forbidden, Joi, apiTime, defineRoute, reply, type Actor, type Route } from '@mortise/plugin-sdk';
import { userSchema } from '@mortise/accounts/api';
import { mustBeActive } from '@mortise/repositories/api';
import type { IssueContext, TimelineEntry } from '../api.js';
import type { Reaction } from '../services/reactions.js';
import { checkParticipation } from '../services/participation.js';
import type { IssueServices } from '../services/services.js';
import { commentIn } from './comments.js';
import { issuePath, issuesPath, kindIn, number, readIssue, readRepository, tags, useIssue } from './route-options.js';
import { t } from '../texts/index.js';

const reactionSchema = Joi.object({
  user: userSchema.required(),
  content: Joi.string().required(),
  created_at: Joi.string().isoDate().required(),
}).label('Reaction');
const list = Joi.array().items(reactionSchema).label('ReactionList');
const maxTexts = 100;
const numbers = (what: string) =>
  Joi.string()
    .pattern(/^\d{1,10}(?:,\d{1,10})*$/)
    .max(11 * maxTexts)
    .description(`${what}, separated by commas; at most ${maxTexts}`);
const textsQuery = Joi.object<{ readonly issues?: string; readonly comments?: string }>({
  issues: numbers('Numbers of issues and pull requests'),
  comments: numbers('Ids of comments'),
});
const placedList = Joi.array()
  .items(
    Joi.object({
      issue: Joi.number().integer().required().description('Number of the issue or pull request'),
      comment: Joi.number().integer().required().description('Id of the comment; 0: on the issue itself'),
      user: userSchema.required(),
      content: Joi.string().required(),
      created_at: Joi.string().isoDate().required(),
    }).label('PlacedReaction'),
  )
  .label('PlacedReactionList');
const numbersIn = (list = ''): number[] => list.split(',').filter(Boolean).map(Number);
const body = Joi.object<{ readonly content?: string | null }>({
  content: Joi.string().allow('', null).max(40),
}).label('EditReactionOption');

const ofIssue = `${issuePath}/reactions` as const;

const ofComment = `${issuesPath}/comments/{id}/reactions` as const;

const byId = Joi.object<{ readonly id: number }>({ id: number });

const use = { ...readRepository, actor: 'user' } as const;

/** What these routes share. */
function reactionContext(services: IssueServices) {
  const { deps, reactions } = services;
  const show = async (items: readonly Reaction[], actor: Actor) => {
    const users = await deps.accounts.byIds([...new Set(items.map(({ userId }) => userId))]);
    return items.map(({ userId, content, createdAt }) => ({
      user: users.has(userId) ? deps.accounts.toApiUser(users.get(userId)!, actor) : deps.accounts.ghost(),
      content,
      created_at: apiTime(createdAt),
    }));
  };
  const add = async (on: IssueContext, comment: TimelineEntry | undefined, content: string, actor: Actor) => {
    mustBeActive(on.context);
    await checkParticipation(services.deps.accounts, on, actor);
    const { reaction, isNew } = await reactions.add(on.issue, comment, actor.id, content);
    return reply.json((await show([reaction], actor))[0], isNew ? 201 : 200);
  };
  const remove = async (on: IssueContext, comment: TimelineEntry | undefined, content: string, actor: Actor) => {
    mustBeActive(on.context);
    if (on.issue.isLocked && !on.may('write')) throw Forbidden(t.later('error.locked'));
    await reactions.remove(on.issue, comment, actor.id, content);
    return reply.none();
  };
  return { reactions, services, show, add, remove };
}

type ReactionRouteContext = ReturnType<typeof reactionContext>;

const issueListReactionsOf = ({ reactions, services, show }: ReactionRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${issuesPath}/reactions`,
    id: 'issueListReactionsOf',
    tags,
    summary: 'Reactions to several issues and comments at once (an addition of Mortise)',
    access: readRepository,
    request: { query: textsQuery },
    responses: { 200: placedList, 404: null, 422: null },
    async handler({ actor, resource, query }) {
      const texts = { issues: numbersIn(query.issues), comments: numbersIn(query.comments) };
      const placed = await reactions.ofTexts({
        repositoryId: resource.repository.id,
        ...kindIn(resource, undefined),
        ...texts,
        commentKinds: services.comments.kinds,
      });
      const shown = await show(placed, actor);
      return placed.map(({ number: issue, commentId }, at) => ({ issue, comment: commentId, ...shown[at]! }));
    },
  });

const issueGetIssueReactions = ({ reactions, show }: ReactionRouteContext) =>
  defineRoute({
    method: 'GET',
    path: ofIssue,
    id: 'issueGetIssueReactions',
    tags,
    summary: 'Reactions to an issue',
    access: readIssue,
    responses: { 200: list, 404: null },
    async handler({ actor, resource, page }) {
      const { items, total } = await reactions.list(resource.issue, undefined, page);
      return reply.list(await show(items, actor), total);
    },
  });

const issuePostIssueReaction = ({ add }: ReactionRouteContext) =>
  defineRoute({
    method: 'POST',
    path: ofIssue,
    id: 'issuePostIssueReaction',
    tags,
    summary: 'React to an issue',
    access: useIssue,
    request: { payload: body },
    responses: { 200: reactionSchema, 201: reactionSchema, 404: null, 423: null },
    handler: ({ actor, resource, payload }) => add(resource, undefined, payload.content ?? '', actor),
  });

const issueDeleteIssueReaction = ({ remove }: ReactionRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: ofIssue,
    id: 'issueDeleteIssueReaction',
    tags,
    summary: 'Take a reaction to an issue back',
    access: useIssue,
    request: { payload: body },
    responses: { 204: null, 404: null, 423: null },
    handler: ({ actor, resource, payload }) => remove(resource, undefined, payload.content ?? '', actor),
  });

const issueGetCommentReactions = ({ services, show, reactions }: ReactionRouteContext) =>
  defineRoute({
    method: 'GET',
    path: ofComment,
    id: 'issueGetCommentReactions',
    tags,
    summary: 'Reactions to a comment',
    access: readRepository,
    request: { params: byId },
    responses: { 200: list, 404: null },
    async handler({ actor, resource, params }) {
      const { issue, comment } = await commentIn(services, resource, params.id, actor);
      return show((await reactions.list(issue, comment)).items, actor);
    },
  });

const issuePostCommentReaction = ({ services, add }: ReactionRouteContext) =>
  defineRoute({
    method: 'POST',
    path: ofComment,
    id: 'issuePostCommentReaction',
    tags,
    summary: 'React to a comment',
    access: use,
    request: { params: byId, payload: body },
    responses: { 200: reactionSchema, 201: reactionSchema, 404: null, 423: null },
    async handler({ actor, resource, params, payload }) {
      const inIssue = await commentIn(services, resource, params.id, actor);
      return add(inIssue, inIssue.comment, payload.content ?? '', actor);
    },
  });

const issueDeleteCommentReaction = ({ services, remove }: ReactionRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: ofComment,
    id: 'issueDeleteCommentReaction',
    tags,
    summary: 'Take a reaction to a comment back',
    access: use,
    request: { params: byId, payload: body },
    responses: { 204: null, 404: null, 423: null },
    async handler({ actor, resource, params, payload }) {
      const inIssue = await commentIn(services, resource, params.id, actor);
      return remove(inIssue, inIssue.comment, payload.content ?? '', actor);
    },
  });

/** Reactions to issues and comments. */
export function reactionRoutes(services: IssueServices): Route[] {
  const context = reactionContext(services);
  return [
    issueListReactionsOf(context),
    issueGetIssueReactions(context),
    issuePostIssueReaction(context),
    issueDeleteIssueReaction(context),
    issueGetCommentReactions(context),
    issuePostCommentReaction(context),
    issueDeleteCommentReaction(context),
  ];
}
