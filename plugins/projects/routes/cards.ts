import { defineRoute, Joi, NotFound, reply, type Actor, type Route } from '@mortise/plugin-sdk';
import { issueSchema, unitOf, type Issue } from '@mortise/issues/api';
import type { ProjectServices } from '../services/services.js';
import { columnParams } from './columns.js';
import { projectRoots, type ProjectRoot } from './roots.js';

const issueId = Joi.number().integer().positive().required();
const cardParams = Joi.object<{ readonly issue_id: number }>({ issue_id: issueId }).unknown();
const columnCardParams = Joi.object<{ readonly column_id: number; readonly issue_id: number }>({
  column_id: issueId,
  issue_id: issueId,
}).unknown();
const moveBody = Joi.object<{ readonly column_id?: number | null; readonly sorting?: number | null }>({
  column_id: Joi.number().integer().positive().allow(null).description('Default: the column that it stands in'),
  sorting: Joi.number()
    .integer()
    .min(0)
    .allow(null)
    .description('How many of the cards that one sees there stand before it; default: all'),
}).label('MoveProjectIssueOption');

/** The issue, as far as the actor may read it: NotFound otherwise, whatever board it stands on. */
export async function readableIssue({ deps }: ProjectServices, id: number, actor: Actor): Promise<Issue> {
  const issue = await deps.issues.byId(id);
  const repository = issue && (await deps.repositories.byId(issue.repositoryId));
  // a token reaches no further here than in lists of many repositories
  const rights = repository && (await deps.repositoryAccess.contexts(actor, [repository])).get(repository.id);
  if (!issue || !rights?.may('read', unitOf(issue))) throw NotFound('issue');
  return issue;
}

const rootRoutes = ({ path, id, tags, read, write }: ProjectRoot, services: ProjectServices): Route[] => {
  const { cards, cardReader, columns, deps } = services;
  const list = `${path}/{id}/columns/{column_id}/issues` as const;
  const issuePath = `${list}/{issue_id}` as const;
  return [
    defineRoute({
      method: 'GET',
      path: list,
      id: `${id}ListProjectColumnIssues`,
      tags,
      summary: 'Issues and pull requests in a column of a project board in their order, as far as one may read them',
      access: read.project,
      request: { params: columnParams },
      responses: { 200: Joi.array().items(issueSchema).label('IssueList'), 404: null },
      async handler({ actor, resource: { project, scope }, params, page }) {
        const column = await columns.of(project.id, params.column_id);
        const { items, total } = await cardReader.column(project, column.id, { actor, scope }, page);
        const issuesById = await deps.issues.byIds(items.map((card) => card.issueId));
        const issues = items.flatMap((card) => issuesById.get(card.issueId) ?? []);
        return reply.list(await deps.issues.toApi(issues, actor), total);
      },
    }),
    defineRoute({
      method: 'POST',
      path: issuePath,
      id: `${id}AddIssueToProjectColumn`,
      tags,
      summary: 'Put an issue or a pull request at the end of a column of a project board',
      access: write.project,
      request: { params: columnCardParams },
      responses: { 201: null, 404: null, 423: null },
      async handler({ actor, resource: { project, scope }, params }) {
        const column = await columns.of(project.id, params.column_id);
        const issue = await readableIssue(services, params.issue_id, actor);
        await cards.add(project, issue, column.id, { actorId: actor.id, visibleTo: { actor, scope } });
        return reply.created();
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: issuePath,
      id: `${id}RemoveIssueFromProjectColumn`,
      tags,
      summary: 'Take an issue or a pull request off a project board',
      access: write.project,
      request: { params: columnCardParams },
      responses: { 204: null, 404: null },
      async handler({ actor, resource: { project }, params }) {
        const column = await columns.of(project.id, params.column_id);
        const issue = await readableIssue(services, params.issue_id, actor);
        await cards.remove(project, issue, { actorId: actor.id }, column.id);
        return reply.none();
      },
    }),
    defineRoute({
      method: 'POST',
      path: `${path}/{id}/issues/{issue_id}/move`,
      id: `${id}MoveProjectIssue`,
      tags,
      summary: 'Move an issue or a pull request to another column of a project board, or to another place in its own',
      access: write.project,
      request: { params: cardParams, payload: moveBody },
      responses: { 204: null, 404: null },
      async handler({ actor, resource: { project, scope }, params, payload }) {
        const issue = await readableIssue(services, params.issue_id, actor);
        const { column_id: columnId, sorting } = payload;
        const to = {
          ...(columnId && { columnId }),
          spot: typeof sorting === 'number' ? { index: sorting } : ('end' as const),
        };
        await cards.move(project, issue, to, { actorId: actor.id, visibleTo: { actor, scope } });
        return reply.none();
      },
    }),
  ];
};

/** Issues on boards (PRJ-06). */
export const cardRoutes = (services: ProjectServices): Route[] =>
  projectRoots.own.flatMap((root) => rootRoutes(root, services));
