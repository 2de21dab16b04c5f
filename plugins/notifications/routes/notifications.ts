import {
  BadRequest,
  Forbidden,
  Joi,
  parseDateTime,
  Invalid,
  defineRoute,
  reply,
  type Actor,
  type Route,
  queryFlag,
} from '@mortise/plugin-sdk';
import { repositoryApi, repositoryResource } from '@mortise/repositories/api';
import type { Notification, NotificationStatus } from '../contract/notifications.js';
import type { Inbox, InboxSearch } from '../services/inbox.js';
import { repositorySubjectKinds } from '../models/subject-key.js';
import type { SubjectKinds } from '../services/subjects.js';
import { threadListSchema, threadSchema, type ThreadPresenter } from '../services/thread-presenter.js';
import { t } from '../texts/index.js';

interface NotificationDeps {
  readonly inbox: Inbox;
  readonly presenter: ThreadPresenter;
  readonly subjectKinds: SubjectKinds;
}

const tags = ['notification'];
/** A public-only token does not see what an account is told (TOK-27). */
const own = { actor: 'user', scope: 'notification', noPublicOnly: true } as const;
const ofRepository = { actor: 'user', scope: 'notification', resource: repositoryResource } as const;

const words = () => Joi.array().items(Joi.string().allow('').max(40)).max(20).single();
const word = () => Joi.string().allow('').max(40);

interface ListQuery {
  readonly all?: boolean;
  readonly 'status-types'?: readonly string[];
  readonly 'subject-type'?: readonly string[];
  readonly since?: string;
  readonly before?: string;
}
const listQuery = Joi.object<ListQuery>({
  all: queryFlag().description('Read ones as well'),
  'status-types': words().description('unread, read, pinned; default: unread and pinned'),
  'subject-type': words().description(
    'issue, pull, commit, repository, or what else plugins notify of, such as project',
  ),
  since: word().description('Changed at or after (RFC 3339)'),
  before: word().description('Changed at or before (RFC 3339)'),
});

interface MarkQuery {
  readonly last_read_at?: string;
  readonly all?: boolean;
  readonly 'status-types'?: readonly string[];
  readonly 'to-status'?: string;
}
const toStatus = word().description('unread, read (default) or pinned');
const markQuery = Joi.object<MarkQuery>({
  last_read_at: word().description('Changed at or before (RFC 3339); default: now'),
  all: queryFlag().description('Whatever their status'),
  'status-types': words().description('unread, read, pinned; default: unread'),
  'to-status': toStatus,
});

const statusNames: readonly string[] = ['unread', 'read', 'pinned'] satisfies NotificationStatus[];

/** Unknown ones are passed over. */
const known = <T extends string>(given: readonly string[], names: readonly string[]): T[] =>
  given.map((one) => one.toLowerCase()).filter((one) => names.includes(one)) as T[];

function timeOf(given: string | undefined): number | undefined {
  if (!given) return undefined;
  return parseDateTime(given);
}

/** Of a parameter that lists take: 422 for what is no time. */
function listTime(given: string | undefined, field: string): number | undefined {
  const time = timeOf(given);
  const message = t.later('error.time', { field });
  if (Number.isNaN(time)) throw Invalid(message, { inputs: { [field]: message } });
  return time;
}

function searched(query: ListQuery, subjectKinds: SubjectKinds, repositoryId?: number): InboxSearch {
  const statuses = query['status-types']?.length
    ? known<NotificationStatus>(query['status-types'], statusNames)
    : (['unread', 'pinned'] as const);
  const kinds = known<string>(query['subject-type'] ?? [], [...repositorySubjectKinds, ...subjectKinds.names()]);
  return {
    ...(repositoryId !== undefined && { repositoryId }),
    ...(!query.all && { statuses }),
    ...(kinds.length && { kinds }),
    since: listTime(query.since, 'since'),
    before: listTime(query.before, 'before'),
  };
}

const statusOf = (given: string | undefined): NotificationStatus =>
  statusNames.includes(given ?? '') ? (given as NotificationStatus) : 'read';

/** Own threads, and for administrators those of others. */
function mustBeOwn({ userId }: Notification, actor: Actor): void {
  if (userId !== actor.id && !actor.isAdmin) throw Forbidden(t.later('error.foreign'));
}

const thread = {
  path: '/api/v1/notifications/threads/{id}',
  tags,
  access: own,
} as const;

const params = Joi.object<{ readonly id: number }>({ id: Joi.number().integer().positive().required() });

/** What these routes share. */
function notificationContext({ inbox, presenter, subjectKinds }: NotificationDeps) {
  const mark = async (query: MarkQuery, actor: Actor, repositoryId?: number) => {
    const before = timeOf(query.last_read_at);
    if (Number.isNaN(before)) throw BadRequest(t.later('error.time', { field: 'last_read_at' }));
    const given = query['status-types'] ?? [];
    const statuses = given.length ? known<NotificationStatus>(given, statusNames) : (['unread'] as const);
    const search: InboxSearch = {
      ...(repositoryId !== undefined && { repositoryId }),
      ...(!query.all && { statuses }),
      before: before ?? Date.now(),
    };
    const marked = await inbox.mark(actor, search, statusOf(query['to-status']));
    return reply.json(await presenter.toApi(marked, actor), 205);
  };
  const list = async (actor: Actor, search: InboxSearch, page: { readonly limit: number; readonly offset: number }) => {
    const { items, total } = await inbox.list(actor, search, page);
    return reply.list(await presenter.toApi(items, actor), total);
  };
  return { list, mark, inbox, presenter, subjectKinds };
}

type NotificationRouteContext = ReturnType<typeof notificationContext>;

const notifyGetList = ({ list, subjectKinds }: NotificationRouteContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/notifications',
    id: 'notifyGetList',
    tags,
    summary: 'What one was told, news last first',
    access: own,
    request: { query: listQuery },
    responses: { 200: threadListSchema },
    handler: ({ actor, query, page }) => list(actor, searched(query, subjectKinds), page),
  });

const notifyReadList = ({ mark }: NotificationRouteContext) =>
  defineRoute({
    method: 'PUT',
    path: '/api/v1/notifications',
    id: 'notifyReadList',
    tags,
    summary: 'Mark what one was told as read, unread or pinned',
    access: own,
    request: { query: markQuery },
    responses: { 205: threadListSchema, 400: null },
    handler: ({ actor, query }) => mark(query, actor),
  });

const notifyNewAvailable = ({ inbox }: NotificationRouteContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/notifications/new',
    id: 'notifyNewAvailable',
    tags,
    summary: 'Number of unread notifications',
    access: own,
    responses: { 200: Joi.object({ new: Joi.number().integer().required() }).label('NotificationCount') },
    handler: async ({ actor }) => ({ new: await inbox.unread(actor) }),
  });

const notifyGetThread = ({ inbox, presenter }: NotificationRouteContext) =>
  defineRoute({
    ...thread,
    method: 'GET',
    id: 'notifyGetThread',
    summary: 'One notification',
    request: { params },
    responses: { 200: threadSchema, 403: null, 404: null },
    async handler({ actor, params: { id } }) {
      const thread = await inbox.byId(id);
      mustBeOwn(thread, actor);
      return (await presenter.toApi([thread], actor))[0];
    },
  });

const notifyReadThread = ({ inbox, presenter }: NotificationRouteContext) =>
  defineRoute({
    ...thread,
    method: 'PATCH',
    id: 'notifyReadThread',
    summary: 'Mark one notification as read, unread or pinned',
    request: { params, query: Joi.object<Pick<MarkQuery, 'to-status'>>({ 'to-status': toStatus }) },
    responses: { 205: threadSchema, 403: null, 404: null },
    async handler({ actor, params: { id }, query }) {
      const thread = await inbox.byId(id);
      mustBeOwn(thread, actor);
      const marked = await inbox.markOne(thread, statusOf(query['to-status']));
      return reply.json((await presenter.toApi([marked], actor))[0], 205);
    },
  });

const notifyGetRepoList = ({ list, subjectKinds }: NotificationRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${repositoryApi}/notifications`,
    id: 'notifyGetRepoList',
    tags,
    summary: 'What one was told of a repository, news last first',
    access: ofRepository,
    request: { query: listQuery },
    responses: { 200: threadListSchema, 404: null },
    handler: ({ actor, query, page, resource }) =>
      list(actor, searched(query, subjectKinds, resource.repository.id), page),
  });

const notifyReadRepoList = ({ mark }: NotificationRouteContext) =>
  defineRoute({
    method: 'PUT',
    path: `${repositoryApi}/notifications`,
    id: 'notifyReadRepoList',
    tags,
    summary: 'Mark what one was told of a repository as read, unread or pinned',
    access: ofRepository,
    request: { query: markQuery },
    responses: { 205: threadListSchema, 400: null, 404: null },
    handler: ({ actor, query, resource }) => mark(query, actor, resource.repository.id),
  });

/** Notifications over the REST surface (NOT-01, NOT-02). */
export function notificationRoutes(deps: NotificationDeps): Route[] {
  const context = notificationContext(deps);
  return [
    notifyGetList(context),
    notifyReadList(context),
    notifyNewAvailable(context),
    notifyGetThread(context),
    notifyReadThread(context),
    notifyGetRepoList(context),
    notifyReadRepoList(context),
  ];
}
