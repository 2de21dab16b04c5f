import {
  BadRequest,
  Forbidden,
  Joi,
  NotFound,
  defineRoute,
  identityOf,
  reply,
  timeOf,
  viewerKey,
  type Actor,
  type Route,
  type RouteContext,
} from '@mortise/plugin-sdk';
import { unitOf, type Issue, type IssueContext, type TimelineEntry } from '../api.js';
import { commentSchema, timelineSchema } from '../contract/models.js';
import { withoutFiles } from '../services/issue-presenter.js';
import { issueContext } from '../services/issue-resolver.js';
import { mustBeActive, refuseBlocked, type RepositoryContext } from '@mortise/repositories/api';
import { checkParticipation } from '../services/participation.js';
import type { IssueServices } from '../services/services.js';
import {
  issuePath,
  isAuthor,
  issuesPath,
  kindIn,
  number,
  readIssue,
  readRepository,
  tags,
  useIssue,
} from './route-options.js';
import { t } from '../texts/index.js';

const body = (label: string) =>
  Joi.object<{ readonly body: string }>({
    body: Joi.string().max(1_000_000).required().description('Markdown'),
  }).label(label);
const createBody = body('CreateIssueCommentOption');
const editBody = body('EditIssueCommentOption');
const times = {
  since: Joi.string().allow('').max(40).description('Changed at or after (RFC 3339)'),
  before: Joi.string().allow('').max(40).description('Changed at or before (RFC 3339)'),
};
const timesQuery = Joi.object<{ readonly since?: string; readonly before?: string }>(times);
const timesOf = ({ since, before }: { readonly since?: string; readonly before?: string }) => {
  const from = timeOf(since, 'since');
  const to = timeOf(before, 'before');
  return { ...(from !== undefined && { since: from }), ...(to !== undefined && { before: to }) };
};
const list = Joi.array().items(commentSchema).label('CommentList');
/** An issue's comments come at once, up to so many. */
const maxComments = 5000;

/** A comment with what it stands on. */
export interface CommentContext extends IssueContext {
  readonly comment: TimelineEntry;
}

const oldId = Joi.object<{ readonly id: number }>({ id: number });

/** What these routes share. */
function commentContext(services: IssueServices) {
  const { comments, timelinePresenter, entries, responseCache } = services;
  const show = async (comment: TimelineEntry, actor: Actor) => (await timelinePresenter.comments([comment], actor))[0];
  const elsewhere = ({ comment }: CommentContext) => writtenElsewhere(services, comment);
  const edit = async (found: CommentContext, text: string, actor: Actor) => {
    const written = elsewhere(found);
    if (!written && !comments.isComment(found.comment)) return reply.none();
    mayChange(found, actor);
    if (!found.may('write')) await refuseBlocked(services.deps.accounts, actor, found.repository.ownerId);
    mustBeActive(found.context);
    if (written) {
      await written.edit(found.comment, found, text, actor);
      return show(found.comment, actor);
    }
    return show(await comments.edit(found.repository, found.issue, found.comment, text, actor), actor);
  };
  const remove = async (found: CommentContext, actor: Actor) => {
    mayChange(found, actor);
    mustBeActive(found.context);
    const written = elsewhere(found);
    if (written) {
      await written.delete(found.comment, found, actor);
      return reply.none();
    }
    if (!comments.isComment(found.comment)) throw BadRequest(t.later('error.noComment'));
    await comments.delete(found.issue, found.comment, actor);
    return reply.none();
  };
  const below = async ({ actor, resource, params }: RouteContext<IssueContext, { readonly id: number }>) => {
    const comment = await entries.byId(params.id);
    if (comment?.issueId !== resource.issue.id) throw NotFound('comment');
    const found = { ...resource, comment };
    await mustBeVisible(services, found, actor);
    return found;
  };
  return { comments, timelinePresenter, services, elsewhere, show, edit, remove, responseCache, below, entries };
}

type CommentRouteContext = ReturnType<typeof commentContext>;

const issueGetRepoComments = ({ comments, timelinePresenter }: CommentRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${issuesPath}/comments`,
    id: 'issueGetRepoComments',
    tags,
    summary: 'Comments on all issues and pull requests of a repository, oldest first',
    access: readRepository,
    request: { query: timesQuery },
    responses: { 200: list, 404: null },
    async handler({ actor, resource, query, page }) {
      const kind = kindIn(resource, undefined);
      const search = { repositoryId: resource.repository.id, ...kind, ...timesOf(query), ...page };
      const { items, total } = await comments.list(search);
      return reply.list(await timelinePresenter.comments(items, actor), total);
    },
  });

const issueGetComment = ({ services, elsewhere, comments, show }: CommentRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${issuesPath}/comments/{id}`,
    id: 'issueGetComment',
    tags,
    summary: 'One comment',
    access: readRepository,
    request: { params: oldId },
    responses: { 200: commentSchema, 204: null, 404: null },
    async handler({ actor, resource, params }) {
      const inIssue = await commentIn(services, resource, params.id, actor);
      return elsewhere(inIssue) || comments.isComment(inIssue.comment) ? show(inIssue.comment, actor) : reply.none();
    },
  });

const issueEditComment = ({ edit, services }: CommentRouteContext) =>
  defineRoute({
    method: 'PATCH',
    path: `${issuesPath}/comments/{id}`,
    id: 'issueEditComment',
    tags,
    summary: 'Change a comment',
    access: { ...readRepository, actor: 'user' },
    request: { params: oldId, payload: editBody },
    responses: { 200: commentSchema, 204: null, 404: null, 423: null },
    handler: async ({ actor, resource, params, payload }) =>
      edit(await commentIn(services, resource, params.id, actor), payload.body, actor),
  });

const issueDeleteComment = ({ remove, services }: CommentRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: `${issuesPath}/comments/{id}`,
    id: 'issueDeleteComment',
    tags,
    summary: 'Delete a comment',
    access: { ...readRepository, actor: 'user' },
    request: { params: oldId },
    responses: { 204: null, 400: null, 404: null, 423: null },
    handler: async ({ actor, resource, params }) =>
      remove(await commentIn(services, resource, params.id, actor), actor),
  });

const issueGetComments = ({ responseCache, comments, timelinePresenter }: CommentRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${issuePath}/comments`,
    id: 'issueGetComments',
    tags,
    summary: 'Comments on an issue, oldest first',
    access: readIssue,
    request: { query: timesQuery },
    responses: { 200: list, 404: null },
    handler({ actor, resource, query }) {
      const search = { issueId: resource.issue.id, ...timesOf(query), limit: maxComments, offset: 0 };
      // all who may read the issue see them alike
      return responseCache.list(
        JSON.stringify(['comments', search]),
        async () => {
          const { items, total } = await comments.list(search);
          return { items: await timelinePresenter.comments(items, actor), total };
        },
        { isCacheable: withoutFiles },
      );
    },
  });

const issueCreateComment = ({ services, show, comments }: CommentRouteContext) =>
  defineRoute({
    method: 'POST',
    path: `${issuePath}/comments`,
    id: 'issueCreateComment',
    tags,
    summary: 'Comment on an issue',
    access: useIssue,
    request: { payload: createBody },
    responses: { 201: commentSchema, 404: null, 423: null },
    async handler({ actor, resource, payload }) {
      mustBeActive(resource.context);
      await checkParticipation(services.deps.accounts, resource, actor);
      return reply.created(
        await show(await comments.create(resource.repository, resource.issue, payload.body, actor), actor),
      );
    },
  });

const issueEditCommentDeprecated = ({ edit, below }: CommentRouteContext) =>
  defineRoute({
    method: 'PATCH',
    path: `${issuePath}/comments/{id}`,
    id: 'issueEditCommentDeprecated',
    tags,
    summary: 'Change a comment, by the older address',
    deprecated: true,
    access: useIssue,
    request: { params: oldId, payload: editBody },
    responses: { 200: commentSchema, 204: null, 404: null, 423: null },
    handler: async (context) => edit(await below(context), context.payload.body, context.actor),
  });

const issueDeleteCommentDeprecated = ({ remove, below }: CommentRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: `${issuePath}/comments/{id}`,
    id: 'issueDeleteCommentDeprecated',
    tags,
    summary: 'Delete a comment, by the older address',
    deprecated: true,
    access: useIssue,
    request: { params: oldId },
    responses: { 204: null, 400: null, 404: null, 423: null },
    handler: async (context) => remove(await below(context), context.actor),
  });

/** Entries name other issues and comments; whose files are counted as they are fetched. */
const namesNoFiles = (records: readonly Readonly<Record<string, unknown>>[]): boolean =>
  records.every(({ ref_issue, dependent_issue, ref_comment }) =>
    withoutFiles([ref_issue, dependent_issue, ref_comment].filter(Boolean) as Parameters<typeof withoutFiles>[0]),
  );

const issueGetCommentsAndTimeline = ({ services, entries, timelinePresenter, responseCache }: CommentRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${issuePath}/timeline`,
    id: 'issueGetCommentsAndTimeline',
    tags,
    summary: 'All that happened to an issue, oldest first',
    access: readIssue,
    request: { query: timesQuery },
    responses: { 200: Joi.array().items(timelineSchema).label('TimelineList'), 404: null },
    handler({ actor, resource: { repository, issue }, query, page }) {
      const search = { issueId: issue.id, ...timesOf(query), ...page };
      return responseCache.list(
        JSON.stringify(['timeline', identityOf(repository), identityOf(issue), viewerKey(actor), search]),
        async () => {
          const all = services.points.kinds.list();
          const { items, total } = await entries.list({
            ...search,
            subjects: services.reader.filters.visibleSubjects(all, actor),
            without: all.filter((kind) => kind.isHidden).map(({ key }) => key),
          });
          return { items: await timelinePresenter.timeline(repository, issue, items, actor), total };
        },
        { isCacheable: namesNoFiles },
      );
    },
  });

/** Comments and timelines over the API. */
export function commentRoutes(services: IssueServices): Route[] {
  const context = commentContext(services);
  return [
    issueGetRepoComments(context),
    issueGetComment(context),
    issueEditComment(context),
    issueDeleteComment(context),
    issueGetComments(context),
    issueCreateComment(context),
    issueEditCommentDeprecated(context),
    issueDeleteCommentDeprecated(context),
    issueGetCommentsAndTimeline(context),
  ];
}

/** Where another plugin keeps the text. */
export const writtenElsewhere = ({ points }: Pick<IssueServices, 'points'>, { kind }: TimelineEntry) =>
  points.kinds.list().find(({ key }) => key === kind)?.written;

async function mustBeVisible(services: Pick<IssueServices, 'points'>, found: CommentContext, actor: Actor) {
  const written = writtenElsewhere(services, found.comment);
  if (written && !(await written.isVisible(found.comment, found, actor))) throw NotFound('comment');
}

/** The comment, of an issue of the repository that the actor may read. */
export async function commentIn(
  services: Pick<IssueServices, 'entries' | 'points' | 'reader'>,
  context: RepositoryContext,
  id: number,
  actor: Actor,
): Promise<CommentContext> {
  const { entries, reader } = services;
  const comment = await entries.byId(id);
  const issue: Issue | undefined =
    comment?.repositoryId === context.repository.id ? await reader.byId(comment.issueId) : undefined;
  if (!comment || !issue || !context.may('read', unitOf(issue))) throw NotFound('comment');
  const found = { ...issueContext(context, issue), comment };
  await mustBeVisible(services, found, actor);
  return found;
}

/** Whoever wrote it, and those who may write to the repository's issues. */
export function mayChange({ comment, may }: CommentContext, actor: Actor): void {
  if (!isAuthor(actor, comment.actorId, may) && !may('write'))
    throw Forbidden(t.later('error.needs', { mode: 'write' }));
}
