import { Joi, NotFound, apiTime, defineRoute, englishOf, reply, type Actor, type Route } from '@mortise/plugin-sdk';
import { mustBeActive, type RepositoryContext } from '@mortise/repositories/api';
import { issueSchema, unitOf, type ApiIssue, type Issue, type IssueContext } from '../api.js';
import { hasDependencies, type IssueName } from '../services/dependencies.js';
import type { IssueServices } from '../services/services.js';
import { issuePath, readIssue, tags, useIssue } from './route-options.js';
import { fieldRecords } from '../fields/values.js';
import { t } from '../texts/index.js';

const issueName = Joi.object<IssueName>({
  index: Joi.number().integer().empty(null),
  owner: Joi.string().allow('').empty(null),
  repo: Joi.string().allow('').empty(null),
}).label('IssueMeta');
const list = Joi.array().items(issueSchema).label('IssueList');

const mustBeOn = ({ repository }: IssueContext) => {
  if (!hasDependencies(repository)) throw NotFound(t.later('error.dependenciesOff'));
};

/** Those who cannot write are told what those are told who see nothing. */
const mustWrite = (context: RepositoryContext, issue: Issue) => {
  if (!context.may('write', unitOf(issue))) throw NotFound('issue');
};

const needs = `${issuePath}/dependencies` as const;

const blocks = `${issuePath}/blocks` as const;

const responses = { 201: issueSchema, 400: null, 404: null, 423: null } as const;

/** What these routes share. */
function dependencyContext({ deps, presenter, dependencies }: IssueServices) {
  const show = async (issue: Issue, actor: Actor) => reply.created((await presenter.toApi([issue], actor))[0]);
  /** Of issues that the actor cannot read only that there is one, and whether it is open. */
  const shown = async (issues: readonly Issue[], actor: Actor) => {
    const visible = await presenter.readable(issues, actor);
    const models = new Map((await presenter.toApi(visible, actor)).map((model) => [model.id, model]));
    return issues.map((issue) => models.get(issue.id) ?? hidden(issue));
  };
  const hidden = ({ isClosed }: Issue): ApiIssue => ({
    id: 0,
    url: 'about:blank',
    html_url: 'about:blank',
    number: 0,
    user: deps.accounts.ghost(),
    original_author: '',
    original_author_id: 0,
    title: englishOf(t.later('dependency.hidden')),
    body: '',
    ...fieldRecords({}),
    assets: [],
    labels: [],
    milestone: null,
    projects: null,
    assignee: null,
    assignees: null,
    state: isClosed ? 'closed' : 'open',
    is_locked: false,
    comments: 0,
    created_at: apiTime(0),
    updated_at: apiTime(0),
    closed_at: null,
    pull_request: null,
    repository: { id: 0, name: 'hidden', owner: 'hidden', full_name: 'hidden/hidden' },
    pin_order: 0,
    content_version: 0,
  });
  return { dependencies, shown, show, presenter };
}

type DependencyRouteContext = ReturnType<typeof dependencyContext>;

const issueListIssueDependencies = ({ dependencies, shown }: DependencyRouteContext) =>
  defineRoute({
    method: 'GET',
    path: needs,
    id: 'issueListIssueDependencies',
    tags,
    summary: 'Issues that the issue waits for; of those that one cannot read only that there is one (ISS-25)',
    access: readIssue,
    responses: { 200: list, 404: null },
    async handler({ actor, resource, page }) {
      mustBeOn(resource);
      const { items, total } = await dependencies.list(resource.issue, 'dependencies', page);
      return reply.list(await shown(items, actor), total);
    },
  });

const issueCreateIssueDependencies = ({ dependencies, show }: DependencyRouteContext) =>
  defineRoute({
    method: 'POST',
    path: needs,
    id: 'issueCreateIssueDependencies',
    tags,
    summary: 'Make the issue wait for the issue of the body (ISS-26)',
    access: useIssue,
    request: { payload: issueName },
    responses,
    async handler({ actor, resource, payload }) {
      mustBeOn(resource);
      mustBeActive(resource.context);
      mustWrite(resource.context, resource.issue);
      const other = await dependencies.named(payload, actor, resource.repository);
      await dependencies.checkBothIssues(resource, other, actor);
      await dependencies.add(resource.issue, other.issue, actor);
      return show(resource.issue, actor);
    },
  });

const issueRemoveIssueDependencies = ({ dependencies, show }: DependencyRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: needs,
    id: 'issueRemoveIssueDependencies',
    tags,
    summary: 'Make the issue wait no more for the issue of the body (ISS-27)',
    access: useIssue,
    request: { payload: issueName },
    responses,
    async handler({ actor, resource, payload }) {
      mustBeOn(resource);
      mustBeActive(resource.context);
      mustWrite(resource.context, resource.issue);
      const other = await dependencies.named(payload, actor, resource.repository);
      await dependencies.remove(resource.issue, other, actor);
      return show(resource.issue, actor);
    },
  });

const issueListBlocks = ({ dependencies, presenter }: DependencyRouteContext) =>
  defineRoute({
    method: 'GET',
    path: blocks,
    id: 'issueListBlocks',
    tags,
    summary: 'Issues that wait for the issue, as far as one can read them (ISS-22)',
    access: readIssue,
    responses: { 200: list, 404: null },
    async handler({ actor, resource, page }) {
      mustBeOn(resource);
      const { items } = await dependencies.list(resource.issue, 'blocks', page);
      return presenter.toApi(await presenter.readable(items, actor), actor);
    },
  });

const issueCreateIssueBlocking = ({ dependencies, show }: DependencyRouteContext) =>
  defineRoute({
    method: 'POST',
    path: blocks,
    id: 'issueCreateIssueBlocking',
    tags,
    summary: 'Make the issue of the body wait for the issue (ISS-23)',
    access: useIssue,
    request: { payload: issueName },
    responses,
    async handler({ actor, resource, payload }) {
      mustBeOn(resource);
      const other = await dependencies.named(payload, actor, resource.repository);
      // As for a repository that is not there: nothing can be written to it.
      if (other.context.repository.isArchived) throw NotFound('issue');
      await dependencies.checkBothIssues(other, resource, actor);
      await dependencies.add(other.issue, resource.issue, actor);
      return show(resource.issue, actor);
    },
  });

const issueRemoveIssueBlocking = ({ dependencies, show }: DependencyRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: blocks,
    id: 'issueRemoveIssueBlocking',
    tags,
    summary: 'Make the issue of the body wait no more for the issue (ISS-24)',
    access: useIssue,
    request: { payload: issueName },
    responses,
    async handler({ actor, resource, payload }) {
      mustBeOn(resource);
      const other = await dependencies.named(payload, actor, resource.repository);
      if (other.context.repository.isArchived) throw NotFound('issue');
      mustWrite(other.context, other.issue);
      await dependencies.remove(other.issue, resource, actor);
      return show(resource.issue, actor);
    },
  });

/** Issues that wait for others, from both ends. */
export function dependencyRoutes(deps: IssueServices): Route[] {
  const context = dependencyContext(deps);
  return [
    issueListIssueDependencies(context),
    issueCreateIssueDependencies(context),
    issueRemoveIssueDependencies(context),
    issueListBlocks(context),
    issueCreateIssueBlocking(context),
    issueRemoveIssueBlocking(context),
  ];
}
