import {
  BadRequest,
  Forbidden,
  Joi,
  NotFound,
  ResponseCache,
  defineRoute,
  identityOf,
  reply,
  viewerKey,
  type Actor,
  type Cache,
  type Jobs,
  type Route,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import { issueFieldsOfPulls, type IssueSearch, type IssueSort, type Issues } from '@mortise/issues/api';
import { mustBeActive, refuseBlocked, type RepositoryContext, type RepositoryMembers } from '@mortise/repositories/api';
import { type PullContext } from '../api.js';
import { pullListSchema, pullSchema } from '../contract/models.js';
import { checkPull } from '../jobs/check.js';
import { PullRow } from '../models/pull.js';
import { unitOption } from '../services/pull-merger.js';
import type { PullServices } from '../services/services.js';
import { closedOf, pullPath, pullsPath, readPull, readPulls, tags, usePull } from './route-options.js';
import { t } from '../texts/index.js';

interface ListQuery {
  readonly base_branch?: string;
  readonly state?: string;
  readonly sort?: string;
  readonly milestone?: number;
  readonly labels?: number | readonly number[];
  readonly poster?: string;
}
const listQuery = Joi.object<ListQuery>({
  base_branch: Joi.string().allow('').max(255),
  state: Joi.string().allow('').max(20).description('open (default), closed or all'),
  sort: Joi.string()
    .allow('')
    .max(20)
    .description(
      'oldest, recentupdate, recentclose, leastupdate, mostcomment, leastcomment or priority; default: newest',
    ),
  milestone: Joi.number().integer().empty(''),
  labels: Joi.array()
    .items(Joi.number().integer(), Joi.valid('').strip())
    .single()
    .max(50)
    .description('Ids; all of them'),
  poster: Joi.string().allow('').max(255),
});
const sorts: Readonly<Record<string, IssueSort>> = {
  oldest: 'oldest',
  recentupdate: 'recentupdate',
  recentclose: 'recentclose',
  leastupdate: 'leastupdate',
  mostcomment: 'mostcomment',
  leastcomment: 'leastcomment',
};

const maxNamed = 100;
const ids = () => Joi.array().items(Joi.number().integer()).max(maxNamed).allow(null);
const names = () => Joi.array().items(Joi.string().max(255)).max(maxNamed).allow(null);
const word = () => Joi.string().allow('', null).max(255);
type SharedBody = {
  readonly body?: string | null;
  readonly assignee?: string | null;
  readonly assignees?: readonly string[] | null;
  readonly milestone?: number | null;
  readonly labels?: readonly number[] | null;
  readonly allow_maintainer_edit?: boolean | null;
};
const sharedBody = {
  body: Joi.string().allow('', null).max(1_000_000).description('Markdown'),
  assignee: word().description('Use assignees'),
  assignees: names(),
  milestone: Joi.number().integer().allow(null),
  labels: ids(),
  allow_maintainer_edit: Joi.boolean()
    .allow(null)
    .description('Those who may write to the base repository may push to the head'),
};
const createBody = Joi.object<
  SharedBody & {
    readonly title: string;
    readonly base: string;
    readonly head: string;
    readonly reviewers?: readonly string[] | null;
    readonly team_reviewers?: readonly string[] | null;
  }
>({
  title: Joi.string().required(),
  base: Joi.string().required().max(500).description('Branch to merge into'),
  head: Joi.string().required().max(500).description('`branch`, `owner:branch` or `owner/name:branch`'),
  ...sharedBody,
  ...issueFieldsOfPulls.optionSchemas('create'),
  reviewers: names(),
  team_reviewers: names(),
}).label('CreatePullRequestOption');
const editBody = Joi.object<
  SharedBody & {
    readonly title?: string | null;
    readonly base?: string | null;
    readonly state?: string | null;
    readonly content_version?: number | null;
  }
>({
  title: Joi.string().allow('', null),
  base: Joi.string().allow('', null).max(500),
  ...sharedBody,
  ...issueFieldsOfPulls.optionSchemas('edit'),
  state: Joi.string().allow('', null).max(20).description('open or closed'),
  content_version: Joi.number().integer().allow(null),
}).label('EditPullRequestOption');

function assigneesOf({ assignee, assignees }: Pick<SharedBody, 'assignee' | 'assignees'>): string[] | undefined {
  if (assignees) return [...assignees, ...(assignee ? [assignee] : [])];
  return typeof assignee === 'string' ? [assignee].filter(Boolean) : undefined;
}

interface PullRouteDeps {
  readonly accounts: Accounts;
  readonly issues: Issues;
  readonly jobs: Jobs;
  readonly members: RepositoryMembers;
  readonly services: PullServices;
  readonly cache: Cache;
}

const checkSorted = (resource: RepositoryContext) => resource.may('write', 'pulls');

/** What these routes share. */
function pullContext({ accounts, issues, jobs, members, services, cache }: PullRouteDeps) {
  const responses = new ResponseCache(cache, 'pulls.answers');
  const { presenter, creator, editor, branchFinder, updater, reader } = services;
  const one = async (resource: PullContext, actor: Actor) => {
    const issue = (await issues.byId(resource.issue.id)) ?? resource.issue;
    const [model] = await presenter.toApi([issue], actor);
    if (!model) throw NotFound('pull request');
    return model;
  };
  return { accounts, issues, presenter, branchFinder, members, creator, reader, jobs, one, updater, editor, responses };
}

type PullRouteContext = ReturnType<typeof pullContext>;

const repoListPullRequests = ({ accounts, issues, presenter, responses }: PullRouteContext) =>
  defineRoute({
    method: 'GET',
    path: pullsPath,
    id: 'repoListPullRequests',
    tags,
    summary: 'Pull requests of a repository, newest first',
    access: readPulls,
    request: { query: listQuery },
    responses: { 200: pullListSchema, 400: null, 404: null },
    async handler({ actor, resource, query, page }) {
      const { repository } = resource;
      const poster = query.poster ? await accounts.byName(query.poster) : undefined;
      if (query.poster && !poster) throw BadRequest(t.later('error.noPoster', { name: query.poster }));
      const labelIds = [query.labels ?? []].flat().filter((id) => id > 0);
      const search = {
        repositoryId: repository.id,
        isPull: true,
        ...(query.state === 'all' ? {} : { isClosed: query.state === 'closed' }),
        ...(poster && { posterId: poster.id }),
        ...(query.milestone && { milestoneId: query.milestone }),
        ...(labelIds.length && { labelIds }),
        sort: sorts[query.sort ?? ''] ?? 'newest',
        ...page,
      } satisfies IssueSearch;
      const into = query.base_branch && {
        among: PullRow.query()
          .select('issue_id')
          .where({ repository_id: repository.id, base_branch: query.base_branch }) as never,
      };
      return responses.list(
        JSON.stringify(['pulls', identityOf(repository), viewerKey(actor), search, query.base_branch]),
        async () => {
          const { items, total } = await issues.search({ ...search, ...into }, actor);
          return { items: await presenter.toApi(items, actor, [repository]), total };
        },
      );
    },
  });

const repoCreatePullRequest = ({ accounts, branchFinder, members, creator, presenter }: PullRouteContext) =>
  defineRoute({
    method: 'POST',
    path: pullsPath,
    id: 'repoCreatePullRequest',
    tags,
    summary: 'Open a pull request (PUL-04)',
    access: { ...readPulls, actor: 'user' },
    request: { payload: createBody },
    responses: { 201: pullSchema, 403: null, 404: null, 409: null, 423: null },
    async handler({ actor, resource, payload }) {
      mustBeActive(resource);
      const { repository } = resource;
      await refuseBlocked(accounts, actor, repository.ownerId);
      const base = await branchFinder.tip(repository, payload.base);
      const head = await branchFinder.head(resource, payload.head, actor);
      const isMember = async () =>
        (await members.collaborators(repository.id)).some(({ userId }) => userId === actor.id);
      await branchFinder.checkMaker(resource, head.repository, isMember, actor);
      const made = await creator.create(
        repository,
        {
          title: payload.title,
          body: payload.body ?? '',
          baseBranch: base.branch,
          head: { ...head, flow: 'branch' },
          ...issueFieldsOfPulls.read(payload, 'create', checkSorted(resource)),
          ...(checkSorted(resource) && {
            assignees: assigneesOf(payload) ?? [],
            labelIds: payload.labels ?? [],
            ...(payload.milestone && { milestoneId: payload.milestone }),
          }),
          allowMaintainerEdit:
            payload.allow_maintainer_edit ?? unitOption(repository, 'default_allow_maintainer_edit') !== false,
          extensions: { reviewers: { users: payload.reviewers ?? [], teams: payload.team_reviewers ?? [] } },
        },
        actor,
      );
      return reply.created((await presenter.toApi([made.issue], actor, [repository, head.repository]))[0]);
    },
  });

const repoListPinnedPullRequests = ({ presenter, issues }: PullRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${pullsPath}/pinned`,
    id: 'repoListPinnedPullRequests',
    tags,
    summary: 'Pinned pull requests, in their order (ISS-08)',
    access: readPulls,
    responses: { 200: pullListSchema, 404: null },
    handler: async ({ actor, resource }) =>
      presenter.toApi(await issues.pinned(resource.repository.id, true), actor, [resource.repository]),
  });

const repoGetPullRequestByBaseHead = ({ branchFinder, reader, issues, presenter }: PullRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${pullsPath}/{base}/{head*}`,
    id: 'repoGetPullRequestByBaseHead',
    tags,
    summary: 'The newest pull request between two branches, open ones first',
    access: readPulls,
    responses: { 200: pullSchema, 404: null },
    async handler({ actor, resource, params }) {
      const { repository, branch } = await branchFinder.side(resource, params.head ?? '', actor);
      const pull = await reader.newestBetween({
        repositoryId: resource.repository.id,
        baseBranch: params.base,
        headRepositoryId: repository.id,
        headBranch: branch,
      });
      const issue = pull && (await issues.byId(pull.issueId));
      if (!issue) throw NotFound('pull request');
      return (await presenter.toApi([issue], actor))[0];
    },
  });

const repoGetPullRequest = ({ jobs, one, responses }: PullRouteContext) =>
  defineRoute({
    method: 'GET',
    path: pullPath,
    id: 'repoGetPullRequest',
    tags,
    summary: 'One pull request; a postponed look for conflicts begins now (PUL-03)',
    access: readPull,
    responses: { 200: pullSchema, 404: null },
    async handler({ actor, resource }) {
      const { issueId, mergeState, isOpen } = resource.pull;
      if (isOpen && mergeState === 'checking')
        await jobs.enqueue(checkPull, { issueId }, { uniqueKey: `pulls.check:${issueId}`, priority: 10 });
      return responses.one(`pull ${identityOf(resource.issue)} ${viewerKey(actor)}`, () => one(resource, actor));
    },
  });

const repoEditPullRequest = ({ accounts, updater, editor, issues, reader, one }: PullRouteContext) =>
  defineRoute({
    method: 'PATCH',
    path: pullPath,
    id: 'repoEditPullRequest',
    tags,
    summary: 'Change a pull request: whoever opened it its texts and state, those who may write everything',
    access: usePull,
    request: { payload: editBody },
    responses: { 201: pullSchema, 403: null, 404: null, 409: null, 412: null, 423: null },
    async handler({ actor, resource, payload }) {
      const { issue, repository, context, pull } = resource;
      const mayWrite = resource.may('write');
      if (!mayWrite && issue.posterId !== actor.id) throw Forbidden(t.later('error.needs', { mode: 'write' }));
      mustBeActive(context);
      const { title, body, base, allow_maintainer_edit: allowed } = payload;
      // one's own pull request may be closed also where one may write nothing
      const onlyCloses =
        payload.state === 'closed' && !title && typeof body !== 'string' && !base && typeof allowed !== 'boolean';
      if (!mayWrite && !onlyCloses) await refuseBlocked(accounts, actor, repository.ownerId);
      const isLetting = typeof allowed === 'boolean' && allowed !== pull.allowMaintainerEdit;
      if (isLetting && !(await updater.ownsHead(resource, actor))) throw Forbidden(t.later('error.maintainerEdit'));
      const assignees = assigneesOf(payload);
      const isClosed = closedOf(payload.state);
      const willBeOpen = !pull.isMerged && (isClosed === undefined ? pull.isOpen : !isClosed);
      if (base) await editor.checkTarget({ ...pull, isOpen: willBeOpen }, base);
      await issues.edit(
        repository,
        issue,
        {
          ...(title && { title }),
          ...(typeof body === 'string' && { body }),
          ...(typeof payload.content_version === 'number' && { contentVersion: payload.content_version }),
          ...(isClosed !== undefined && { isClosed }),
          ...issueFieldsOfPulls.read(payload, 'edit', mayWrite),
          ...(mayWrite && {
            ...(typeof payload.milestone === 'number' && { milestoneId: payload.milestone }),
            ...(assignees && { assignees }),
            ...(payload.labels && { labelIds: payload.labels }),
          }),
        },
        actor,
      );
      // after what can be refused for its content
      if (isLetting) await editor.allowMaintainerEdit(pull, allowed);
      if (base) await editor.retarget(issue, (await reader.fresh(pull.issueId)) ?? pull, base, actor);
      return reply.created(await one(resource, actor));
    },
  });

const repoGetCommitPullRequest = ({ reader, issues, presenter }: PullRouteContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/repos/{owner}/{repo}/commits/{sha}/pull',
    id: 'repoGetCommitPullRequest',
    tags,
    summary: 'The pull request that a commit was merged by',
    access: { ...readPulls, unit: 'code' },
    responses: { 200: pullSchema, 404: null },
    async handler({ actor, resource, params }) {
      const pull = await reader.ofCommit(resource.repository.id, params.sha);
      const issue = pull && (await issues.byId(pull.issueId));
      if (!issue || !resource.may('read', 'pulls')) throw NotFound('pull request');
      return (await presenter.toApi([issue], actor))[0];
    },
  });

/** Pull requests over the API: lists, records, creating and editing. */
export function pullRoutes(deps: PullRouteDeps): Route[] {
  const context = pullContext(deps);
  return [
    repoListPullRequests(context),
    repoCreatePullRequest(context),
    repoListPinnedPullRequests(context),
    repoGetPullRequestByBaseHead(context),
    repoGetPullRequest(context),
    repoEditPullRequest(context),
    repoGetCommitPullRequest(context),
  ];
}
