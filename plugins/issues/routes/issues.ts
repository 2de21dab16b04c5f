import {
  BadRequest,
  Forbidden,
  Joi,
  NotFound,
  Problem,
  defineRoute,
  dueDateOf,
  endOfDay,
  identityOf,
  reply,
  timeOf,
  viewerKey,
  type Actor,
  type Reply,
  type Route,
} from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import { mustBeActive, refuseBlocked, repositoryResource, type Repository } from '@mortise/repositories/api';
import { issueSchema, type Issue, type IssueSearch } from '../api.js';
import { optionSchemas, readOptions } from '../fields/values.js';
import { withoutFiles } from '../services/issue-presenter.js';
import { onProject, projectIds } from '../services/project-filter.js';
import type { IssueServices } from '../services/services.js';
import {
  administerIssue,
  issuePath,
  issuesPath,
  kindIn,
  readIssue,
  readRepository,
  stateOf,
  tags,
  timeText,
  useIssue,
  splitList,
  writeIssue,
} from './route-options.js';
import { repositoryQuery, searchQuery, type ListQuery } from './list-query.js';
import { t } from '../texts/index.js';

type IssueBody = {
  readonly title?: string | null;
  readonly body?: string | null;
  readonly assignee?: string | null;
  readonly assignees?: readonly string[] | null;
  readonly milestone?: number | null;
  readonly projects?: readonly number[] | null;
};
const maxNamed = 100;
const bodySchemas = {
  body: Joi.string().allow('', null).max(1_000_000).description('Markdown'),
  assignee: Joi.string().allow('', null).max(255).description('Use assignees'),
  assignees: Joi.array().items(Joi.string().max(255)).max(maxNamed).allow(null),
  milestone: Joi.number().integer().allow(null),
  projects: projectIds(),
};
const ids = () => Joi.array().items(Joi.number().integer()).max(maxNamed).allow(null);
const createBody = Joi.object<
  IssueBody & { readonly title: string; readonly labels?: readonly number[] | null; readonly closed?: boolean | null }
>({
  title: Joi.string().required(),
  ...bodySchemas,
  ...optionSchemas('create'),
  labels: ids(),
  closed: Joi.boolean().allow(null),
}).label('CreateIssueOption');
const editBody = Joi.object<
  IssueBody & {
    readonly state?: string | null;
    readonly content_version?: number | null;
  }
>({
  title: Joi.string().allow('', null),
  ...bodySchemas,
  ...optionSchemas('edit'),
  state: Joi.string().allow('', null).max(20).description('open or closed'),
  content_version: Joi.number()
    .integer()
    .allow(null)
    .description('Of the body that was edited: 409 when it changed since'),
}).label('EditIssueOption');

/** Whom the old field and the new one name; undefined: neither was given. */
function assigneesOf({ assignee, assignees }: Pick<IssueBody, 'assignee' | 'assignees'>): string[] | undefined {
  if (assignees) return [...assignees, ...(assignee ? [assignee] : [])];
  return typeof assignee === 'string' ? [assignee].filter(Boolean) : undefined;
}

/** `open` or `closed`; 412 for other words, as clients of the REST surface know it. */
function closedOf(state: string | null | undefined): boolean | undefined {
  if (!state) return undefined;
  if (state !== 'open' && state !== 'closed') throw new Problem('precondition_failed', t.later('error.state'));
  return state === 'closed';
}

const narrowed = (query: ListQuery): Omit<IssueSearch, 'limit' | 'offset'> => {
  const times = { since: timeOf(query.since, 'since'), before: timeOf(query.before, 'before') };
  return {
    ...stateOf(query.state),
    ...(times.since !== undefined && { since: times.since }),
    ...(times.before !== undefined && { before: times.before }),
    ...(query.labels && { labels: splitList(query.labels) }),
    ...(query.milestones && { milestones: splitList(query.milestones) }),
    ...(query.q && { text: query.q }),
  };
};

/** What these routes share. */
function issueContext({ deps, points, reader, presenter, issues, responseCache }: IssueServices) {
  const { accounts } = deps;
  const teamOf = async (name: string, owner: Account | undefined, actor: Actor) => {
    if (!owner) throw BadRequest(t.later('error.teamOwner'));
    const id = await points.teams.list()[0]?.find(name, owner, actor);
    if (id === undefined) throw BadRequest(t.later('error.noTeam', { name }));
    return id;
  };
  const boards = () => points.projects.list()[0];
  const show = async (issue: Issue, actor: Actor, madeIn?: Repository) =>
    (await presenter.toApi([issue], actor, madeIn))[0];
  const searchIssues = async (search: IssueSearch, actor: Actor): Promise<Reply> => {
    const make = async () => {
      const { items, total } = await reader.search(search, actor);
      return { items: await presenter.toApi(items, actor), total };
    };
    if (search.text === undefined && !search.among)
      return responseCache.list(JSON.stringify(['issues', viewerKey(actor), search]), make, {
        isCacheable: withoutFiles,
      });
    // words are of all kinds, and seldom asked for twice; what others narrow by they alone know
    const { items, total } = await make();
    return reply.list(items, total);
  };
  const person = (name: string | undefined) => findUser(accounts, name);
  return { accounts, teamOf, person, points, found: searchIssues, deps, issues, boards, show, responseCache };
}

type IssueRouteContext = ReturnType<typeof issueContext>;

const issueSearchIssues = ({ accounts, teamOf, person, points, found }: IssueRouteContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/repos/issues/search',
    id: 'issueSearchIssues',
    tags,
    summary: 'Issues and pull requests in all repositories that one may read, newest first',
    access: { actor: 'anyone', scope: 'issue' },
    request: { query: searchQuery },
    responses: { 200: Joi.array().items(issueSchema).label('IssueList'), 400: null, 404: null },
    async handler({ actor, query, page }) {
      const owner = query.owner ? await accounts.byName(query.owner) : undefined;
      if (query.owner && !owner) throw BadRequest(t.later('error.noOwner', { name: query.owner }));
      const team = query.team ? await teamOf(query.team, owner, actor) : undefined;
      const posterId = query.created ? actor.id : await person(query.created_by);
      const filters = {
        ...(query.review_requested && { review_requested: actor.id }),
        ...(query.reviewed && { reviewed: actor.id }),
      };
      const search: IssueSearch = {
        ...narrowed(query),
        labelsMatch: 'any',
        ...(query.type === 'issues' || query.type === 'pulls' ? { isPull: query.type === 'pulls' } : {}),
        ...(owner && { ownerId: owner.id }),
        ...(team && { related: { relation: 'team', id: team } }),
        ...(posterId !== undefined && { posterId }),
        // nobody is assigned or mentioned who is not signed in, and 0 would stand for issues that nobody is assigned to
        ...(query.assigned && { assigneeId: actor.id || -1 }),
        ...(query.mentioned && { mentionedId: actor.id }),
        ...(Object.keys(filters).length && { filters }),
        ...(await onProject(points.projects, query.project, actor)),
        ...page,
      };
      return found(search, actor);
    },
  });

const issueListIssues = ({ person, points, found }: IssueRouteContext) =>
  defineRoute({
    method: 'GET',
    path: issuesPath,
    id: 'issueListIssues',
    tags,
    summary: 'Issues and pull requests of a repository, newest first',
    access: readRepository,
    request: { query: repositoryQuery },
    responses: { 200: Joi.array().items(issueSchema).label('IssueList'), 404: null },
    async handler({ actor, resource, query, page }) {
      const people = {
        posterId: await person(query.created_by),
        assigneeId: await person(query.assigned_by),
        mentionedId: await person(query.mentioned_by),
      };
      const search: IssueSearch = {
        ...narrowed(query),
        ...kindIn(resource, query.type),
        ...(Object.fromEntries(Object.entries(people).filter(([, id]) => id !== undefined)) as typeof people),
        ...(await onProject(points.projects, query.project, actor, resource)),
        repositoryId: resource.repository.id,
        ...page,
      };
      return found(search, actor);
    },
  });

const issueCreateIssue = ({ accounts, deps, issues, boards, show }: IssueRouteContext) =>
  defineRoute({
    method: 'POST',
    path: issuesPath,
    id: 'issueCreateIssue',
    tags,
    summary: 'Open an issue; labels, milestone, assignees and due date are for those who may write',
    access: { actor: 'user', scope: 'issue', resource: repositoryResource, unit: 'issues' },
    request: { payload: createBody },
    responses: { 201: issueSchema, 423: null },
    async handler({ actor, resource, payload }) {
      mustBeActive(resource);
      await refuseBlocked(accounts, actor, resource.repository.ownerId);
      const mayWrite = resource.may('write', 'issues');
      const sorted = mayWrite && {
        ...(payload.milestone && { milestoneId: payload.milestone }),
        ...(payload.labels && { labelIds: payload.labels }),
        assignees: assigneesOf(payload) ?? [],
      };
      const given = {
        title: payload.title,
        body: payload.body ?? '',
        ...readOptions(payload, 'create', mayWrite),
        isClosed: payload.closed ?? false,
        ...sorted,
      };
      const projects = sorted ? payload.projects : undefined;
      const issue = await deps.database.write(async () => {
        const made = await issues.create(resource.repository, given, actor);
        if (projects?.length) await boards()?.replace(made, projects, actor);
        return made;
      });
      const isBare = !sorted || !(sorted.labelIds?.length || sorted.assignees.length || projects?.length);
      return reply.created(await show(issue, actor, isBare ? resource.repository : undefined));
    },
  });

const issueGetIssue = ({ responseCache, show }: IssueRouteContext) =>
  defineRoute({
    method: 'GET',
    path: issuePath,
    id: 'issueGetIssue',
    tags,
    summary: 'One issue or pull request',
    access: readIssue,
    responses: { 200: issueSchema, 404: null },
    handler: ({ actor, resource: { issue } }) =>
      responseCache.one(
        `issue ${identityOf(issue)} ${viewerKey(actor)}`,
        async () => {
          const record = await show(issue, actor);
          if (!record) throw NotFound('issue');
          return record;
        },
        { isCacheable: (record) => withoutFiles([record]) },
      ),
  });

const issueEditIssue = ({ accounts, deps, issues, boards, show }: IssueRouteContext) =>
  defineRoute({
    method: 'PATCH',
    path: issuePath,
    id: 'issueEditIssue',
    tags,
    summary: 'Change an issue: whoever opened it its texts and state, those who may write everything',
    access: useIssue,
    request: { payload: editBody },
    responses: { 201: issueSchema, 404: null, 409: null, 412: null, 423: null },
    async handler({ actor, resource, payload }) {
      const { issue, repository, context } = resource;
      const mayWrite = resource.may('write');
      if (!mayWrite && issue.posterId !== actor.id) throw Forbidden(t.later('error.needs', { mode: 'write' }));
      mustBeActive(context);
      // one's own issue may be closed also where one may write nothing
      const onlyCloses = payload.state === 'closed' && !payload.title && typeof payload.body !== 'string';
      if (!mayWrite && !onlyCloses) await refuseBlocked(accounts, actor, repository.ownerId);
      const assignees = assigneesOf(payload);
      const sorted = mayWrite && {
        ...(typeof payload.milestone === 'number' && { milestoneId: payload.milestone }),
        ...(assignees && { assignees }),
      };
      const isClosed = closedOf(payload.state);
      const changes = {
        ...(payload.title && { title: payload.title }),
        ...(typeof payload.body === 'string' && { body: payload.body }),
        ...(typeof payload.content_version === 'number' && { contentVersion: payload.content_version }),
        ...(isClosed !== undefined && { isClosed }),
        ...readOptions(payload, 'edit', mayWrite),
        ...sorted,
      };
      const edited = await deps.database.write(async () => {
        const changed = await issues.edit(repository, issue, changes, actor);
        if (mayWrite && payload.projects) await boards()?.replace(issue, payload.projects, actor);
        return changed;
      });
      return reply.created(await show(edited, actor));
    },
  });

const issueDelete = ({ issues }: IssueRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: issuePath,
    id: 'issueDelete',
    tags,
    summary: 'Delete an issue with all that belongs to it',
    access: administerIssue,
    responses: { 204: null, 404: null, 423: null },
    async handler({ actor, resource }) {
      await issues.delete(resource.issue, actor);
      return reply.none();
    },
  });

const issueEditIssueDeadline = ({ issues, show }: IssueRouteContext) =>
  defineRoute({
    method: 'POST',
    path: `${issuePath}/deadline`,
    id: 'issueEditIssueDeadline',
    tags,
    summary: 'Set the due date, to the end of its day (UTC), or remove it with null',
    access: writeIssue,
    request: {
      payload: Joi.object<{ readonly due_date?: string | null }>({ due_date: timeText() }).label('EditDeadlineOption'),
    },
    responses: {
      201: Joi.object({ due_date: Joi.string().isoDate().allow(null).required() }).label('IssueDeadline'),
      404: null,
    },
    async handler({ actor, resource, payload }) {
      const due = dueDateOf(payload.due_date, 'due_date');
      const dueAt = due === undefined ? 0 : endOfDay(due);
      const edited = await issues.edit(resource.repository, resource.issue, { dueAt }, actor);
      return reply.created({ due_date: (await show(edited, actor))!.due_date });
    },
  });

/** Issues over the API. */
export function issueRoutes(deps: IssueServices): Route[] {
  const context = issueContext(deps);
  return [
    issueSearchIssues(context),
    issueListIssues(context),
    issueCreateIssue(context),
    issueGetIssue(context),
    issueEditIssue(context),
    issueDelete(context),
    issueEditIssueDeadline(context),
  ];
}

/** The number of an account; NotFound for an unknown name. */
async function findUser(accounts: Accounts, name: string | undefined): Promise<number | undefined> {
  if (!name) return undefined;
  const account = await accounts.byName(name);
  if (!account) throw NotFound('user');
  return account.id;
}
