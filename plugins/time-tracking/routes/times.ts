import {
  BadRequest,
  Forbidden,
  Joi,
  NotFound,
  defineRoute,
  reply,
  timeOf,
  type Actor,
  type Page,
  type Route,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import { issueResource, trackedTimeSchema, unitOf, type IssueContext } from '@mortise/issues/api';
import {
  mustBeActive,
  refuseBlockedPair,
  repositoryApi,
  repositoryResource,
  type Repository,
  type RepositoryAccess,
  type RepositoryContext,
} from '@mortise/repositories/api';
import { timeListSchema, type TimePresenter } from '../services/present.js';
import { trackerOf, type TimeSearch, type TimeService } from '../services/times.js';
import { t } from '../texts/index.js';

export interface TimeDeps {
  readonly accounts: Accounts;
  readonly repositoryAccess: RepositoryAccess;
  readonly times: TimeService;
  readonly presenter: TimePresenter;
  /** `[service] ENABLE_TIMETRACKING` */
  readonly isEnabled: boolean;
}

interface TimesQuery {
  readonly user?: string;
  readonly since?: string;
  readonly before?: string;
}
const word = (note: string) => Joi.string().allow('').max(255).description(note);
const times = {
  since: word('Made at or after (RFC 3339)'),
  before: word('Made at or before (RFC 3339)'),
};
const byUser = Joi.object<TimesQuery>({ user: word('Name of a user'), ...times });
const byTime = Joi.object<TimesQuery>(times);
const addBody = Joi.object<{
  readonly time: number;
  readonly created?: string | null;
  readonly user_name?: string | null;
}>({
  time: Joi.number().integer().min(1).max(2_000_000_000).required().description('Seconds'),
  created: Joi.string().allow('', null).description('RFC 3339'),
  user_name: Joi.string().allow('', null).max(255).description('For somebody else; for administrators'),
}).label('AddTimeOption');

const issueTimes = `${repositoryApi}/issues/{index}/times` as const;
export const ofIssue = { actor: 'user', scope: 'issue', resource: issueResource } as const;
const ofRepository = { actor: 'user', scope: 'repository', resource: repositoryResource } as const;

function timesOf({ since, before }: TimesQuery): Pick<TimeSearch, 'since' | 'before'> {
  const from = timeOf(since, 'since');
  const to = timeOf(before, 'before');
  return { ...(from !== undefined && { since: from }), ...(to !== undefined && { before: to }) };
}

/** What cannot be read has no times, as it is not there on other routes of issues. */
function mustReadIssues({ may }: RepositoryContext): void {
  if (!may('read', 'issues')) throw NotFound('issue');
}

/** May the actor track time on the issue? Forbidden otherwise. */
export function mayTrack({ context, may }: IssueContext): void {
  if (trackerOf(context.repository).isForWriters && !may('write')) throw Forbidden(t.later('error.needsWrite'));
}

/** What these routes share. */
function timeContext({ accounts, repositoryAccess, times, presenter, isEnabled }: TimeDeps) {
  const isOn = (repository: Repository) => isEnabled && trackerOf(repository).isOn;
  const show = async (search: Omit<TimeSearch, 'limit' | 'offset' | 'actor'>, page: Page, actor: Actor) => {
    const { items, total } = await times.list({ ...search, actor, ...page });
    return reply.list(await presenter.times(items, actor), total);
  };
  /** Whose times: those who may not write see their own. */
  const whose = async (name: string | undefined, seesAll: boolean, actor: Actor) => {
    if (!name) return seesAll ? {} : { userId: actor.id };
    const account = await accounts.byName(name);
    if (!account) throw NotFound('user');
    if (!seesAll && account.id !== actor.id) throw Forbidden(t.later('error.otherTimes'));
    return { userId: account.id };
  };
  const forWhom = async (name: string | null | undefined, found: IssueContext, actor: Actor) => {
    if (!name || !(found.may('admin') || actor.isAdmin)) return actor.id;
    const account = await accounts.byName(name);
    if (!account || account.kind !== 'user') throw NotFound('user');
    if (account.id !== actor.id) {
      await refuseBlockedPair(accounts, account, found.repository.ownerId, actor);
      const rights = (await repositoryAccess.rightsOf(account, [found.repository])).get(found.repository.id);
      if (!rights?.may('read', unitOf(found.issue))) throw NotFound('user');
    }
    return account.id;
  };
  return { isOn, whose, show, forWhom, times, presenter };
}

type TimeRouteContext = ReturnType<typeof timeContext>;

const issueTrackedTimes = ({ isOn, whose, show }: TimeRouteContext) =>
  defineRoute({
    method: 'GET',
    path: issueTimes,
    id: 'issueTrackedTimes',
    tags: ['issue'],
    summary: 'Times spent on an issue; those who may not write see their own',
    access: ofIssue,
    request: { query: byUser },
    responses: { 200: timeListSchema, 404: null },
    async handler({ actor, resource, query, page }) {
      if (!isOn(resource.repository)) throw NotFound(t.later('error.off'));
      const person = await whose(query.user, resource.may('write'), actor);
      return show({ issueId: resource.issue.id, ...person, ...timesOf(query) }, page, actor);
    },
  });

const issueAddTime = ({ isOn, forWhom, times, presenter }: TimeRouteContext) =>
  defineRoute({
    method: 'POST',
    path: issueTimes,
    id: 'issueAddTime',
    tags: ['issue'],
    summary: 'Add time spent on an issue',
    access: ofIssue,
    request: { payload: addBody },
    responses: { 200: trackedTimeSchema, 400: null, 404: null, 423: null },
    async handler({ actor, resource, payload }) {
      if (!isOn(resource.repository)) throw BadRequest(t.later('error.off'));
      mayTrack(resource);
      mustBeActive(resource);
      const at = timeOf(payload.created, 'created');
      const userId = await forWhom(payload.user_name, resource, actor);
      const time = await times.add(resource.issue, userId, payload.time, actor.id, at);
      return (await presenter.times([time], actor))[0];
    },
  });

const issueResetTime = ({ isOn, times }: TimeRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: issueTimes,
    id: 'issueResetTime',
    tags: ['issue'],
    summary: 'Delete all time that one spent on an issue',
    access: ofIssue,
    responses: { 204: null, 400: null, 404: null, 423: null },
    async handler({ actor, resource }) {
      if (!isOn(resource.repository)) throw BadRequest(t.later('error.off'));
      mayTrack(resource);
      mustBeActive(resource);
      await times.reset(resource.issue, actor.id);
      return reply.none();
    },
  });

const issueDeleteTime = ({ isOn, times }: TimeRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: `${issueTimes}/{id}`,
    id: 'issueDeleteTime',
    tags: ['issue'],
    summary: 'Delete a tracked time',
    access: ofIssue,
    request: { params: Joi.object<{ readonly id: number }>({ id: Joi.number().integer().positive().required() }) },
    responses: { 204: null, 400: null, 404: null, 423: null },
    async handler({ actor, resource, params }) {
      if (!isOn(resource.repository)) throw BadRequest(t.later('error.off'));
      mayTrack(resource);
      mustBeActive(resource);
      const time = await times.byId(resource.issue, params.id);
      if (!time) throw NotFound('time');
      if (time.userId !== actor.id && !actor.isAdmin) throw Forbidden(t.later('error.otherTimes'));
      await times.delete(resource.issue, time, actor.id);
      return reply.none();
    },
  });

const repoTrackedTimes = ({ isOn, whose, show }: TimeRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${repositoryApi}/times`,
    id: 'repoTrackedTimes',
    tags: ['repository'],
    summary: 'Times spent on the issues of a repository; those who may not write see their own',
    access: ofRepository,
    request: { query: byUser },
    responses: { 200: timeListSchema, 400: null, 404: null },
    async handler({ actor, resource, query, page }) {
      mustReadIssues(resource);
      if (!isOn(resource.repository)) throw BadRequest(t.later('error.off'));
      const person = await whose(query.user, resource.may('write', 'issues'), actor);
      return show({ repositoryId: resource.repository.id, ...person, ...timesOf(query) }, page, actor);
    },
  });

const userTrackedTimes = ({ isOn, whose, show }: TimeRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${repositoryApi}/times/{user}`,
    id: 'userTrackedTimes',
    tags: ['repository'],
    summary: 'Times that a user spent on the issues of a repository',
    deprecated: true,
    access: ofRepository,
    responses: { 200: timeListSchema, 400: null, 404: null },
    async handler({ actor, resource, params, page }) {
      mustReadIssues(resource);
      if (!isOn(resource.repository)) throw BadRequest(t.later('error.off'));
      const person = await whose(params.user, resource.may('admin'), actor);
      return show({ repositoryId: resource.repository.id, ...person }, page, actor);
    },
  });

const userCurrentTrackedTimes = ({ show }: TimeRouteContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/user/times',
    id: 'userCurrentTrackedTimes',
    tags: ['user'],
    summary: 'Times that one spent on issues',
    access: { actor: 'user', scope: ['user', 'issue'], noPublicOnly: true },
    request: { query: byTime },
    responses: { 200: timeListSchema },
    handler: ({ actor, query, page }) => show({ userId: actor.id, ...timesOf(query) }, page, actor),
  });

/** Tracked times over the API. */
export function timeRoutes(deps: TimeDeps): Route[] {
  const context = timeContext(deps);
  return [
    issueTrackedTimes(context),
    issueAddTime(context),
    issueResetTime(context),
    issueDeleteTime(context),
    repoTrackedTimes(context),
    userTrackedTimes(context),
    userCurrentTrackedTimes(context),
  ];
}
