import { defineRoute, Joi, reply, type Route } from '@mortise/plugin-sdk';
import { cardTypes, projectTemplates, type CardType, type ProjectTemplate } from '../contract/projects.js';
import { projectSchema } from '../contract/models.js';
import type { ProjectServices } from '../services/services.js';
import { maxDescription, maxTitle } from '../services/project-service.js';
import { projectRoots, type ProjectRoot } from './roots.js';

interface ProjectBody {
  readonly title?: string;
  readonly description?: string | null;
  readonly template_type?: ProjectTemplate | '' | null;
  readonly card_type?: CardType | '' | null;
  readonly state?: 'open' | 'closed' | '' | null;
}

const optional = () => Joi.string().allow('', null);
const fields = {
  description: optional().max(maxDescription).description('Markdown'),
  card_type: optional().valid(...cardTypes),
  state: optional().valid('open', 'closed'),
};
const createBody = Joi.object<ProjectBody & { readonly title: string }>({
  title: Joi.string().max(maxTitle).required(),
  template_type: optional().valid(...projectTemplates),
  ...fields,
}).label('CreateProjectOption');
const editBody = Joi.object<ProjectBody>({ title: Joi.string().max(maxTitle), ...fields }).label('EditProjectOption');

const listQuery = Joi.object<{ readonly state?: string; readonly q?: string }>({
  state: Joi.string().allow('').valid('open', 'closed', 'all').description('open (default), closed or all'),
  q: Joi.string().allow('').max(255).description('Part of the title'),
});
const listSchema = Joi.array().items(projectSchema).label('ProjectList');

const givenOf = ({ description, card_type: cardType, state }: ProjectBody) => ({
  ...(typeof description === 'string' && { description }),
  ...(cardType && { cardType }),
  ...(state && { isClosed: state === 'closed' }),
});

/** Lists of boards, newest first (PRJ-04). */
const listRoute = ({ path, id, tags, read }: ProjectRoot, { reader, presenter }: ProjectServices): Route =>
  defineRoute({
    method: 'GET',
    path,
    id: `${id}ListProjects`,
    tags,
    summary: 'Project boards, newest first',
    access: read.scope,
    request: { query: listQuery },
    responses: { 200: listSchema, 404: null },
    async handler({ actor, resource, query, page }) {
      const { items, total } = await reader.list(resource, {
        ...(query.state !== 'all' && { isClosed: query.state === 'closed' }),
        ...(query.q && { text: query.q }),
        ...page,
      });
      return reply.list(await presenter.projects(items, resource, actor), total);
    },
  });

const rootRoutes = (root: ProjectRoot, services: ProjectServices): Route[] => {
  const { path, id, tags, read, write } = root;
  const { projects, presenter } = services;
  return [
    listRoute(root, services),
    defineRoute({
      method: 'POST',
      path,
      id: `${id}CreateProject`,
      tags,
      summary: 'Create a project board, with the columns of its template',
      access: write.scope,
      request: { payload: createBody },
      responses: { 201: projectSchema, 404: null },
      async handler({ actor, resource, payload }) {
        const { title, template_type: template } = payload;
        const project = await projects.create(
          resource,
          { title, ...givenOf(payload), ...(template && { template }) },
          actor.id,
        );
        return reply.created(await presenter.project(project, resource, actor));
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/{id}`,
      id: `${id}GetProject`,
      tags,
      summary: 'One project board',
      access: read.project,
      responses: { 200: projectSchema, 404: null },
      handler: ({ actor, resource: { project, scope } }) => presenter.project(project, scope, actor),
    }),
    defineRoute({
      method: 'PATCH',
      path: `${path}/{id}`,
      id: `${id}EditProject`,
      tags,
      summary: 'Change a project board, close it or open it again',
      access: write.project,
      request: { payload: editBody },
      responses: { 200: projectSchema, 404: null },
      async handler({ actor, resource: { project, scope }, payload }) {
        const { title } = payload;
        const changes = { ...(title !== undefined && { title }), ...givenOf(payload) };
        return presenter.project(await projects.edit(project.id, changes, actor.id), scope, actor);
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: `${path}/{id}`,
      id: `${id}DeleteProject`,
      tags,
      summary: 'Delete a project board; its issues stay',
      access: write.project,
      responses: { 204: null, 404: null },
      async handler({ actor, resource: { project, scope } }) {
        const record = await presenter.project(project, scope, actor);
        await projects.delete(project.id, actor.id, { ...record });
        return reply.none();
      },
    }),
  ];
};

/** Boards of repositories, organizations and the one who is signed in, and the list of those of another user. */
export const projectRoutes = (services: ProjectServices): Route[] => [
  ...projectRoots.own.flatMap((root) => rootRoutes(root, services)),
  listRoute(projectRoots.ofUser, services),
];
