import { defineRoute, Joi, reply, type Route } from '@mortise/plugin-sdk';
import { projectLimits } from '../api.js';
import { projectColumnSchema } from '../contract/models.js';
import { maxColumns, maxColumnTitle, maxSorting, minSorting, type ColumnChanges } from '../services/columns.js';
import type { ProjectServices } from '../services/services.js';
import { projectRoots, type ProjectRoot } from './roots.js';

interface ColumnBody {
  readonly title?: string;
  readonly color?: string | null;
  readonly sorting?: number | null;
  readonly card_limit?: number | null;
}

const fields = {
  color: Joi.string().allow('', null).max(7).description('`#rrggbb`; empty: none'),
  sorting: Joi.number().integer().min(minSorting).max(maxSorting).allow(null),
  card_limit: Joi.number()
    .integer()
    .min(0)
    .max(projectLimits.cards)
    .allow(null)
    .description('How many cards it should have at most: more are shown as too many, and not refused; 0: no limit'),
};
const createBody = Joi.object<ColumnBody & { readonly title: string }>({
  title: Joi.string().max(maxColumnTitle).required(),
  ...fields,
}).label('CreateProjectColumnOption');
const editBody = Joi.object<ColumnBody>({ title: Joi.string().max(maxColumnTitle), ...fields }).label(
  'EditProjectColumnOption',
);
const moveBody = Joi.object<{ readonly column_ids: readonly number[] }>({
  column_ids: Joi.array()
    .items(Joi.number().integer().positive())
    .min(1)
    .max(maxColumns)
    .required()
    .description('Ids of columns in their new order; those that are not named follow'),
}).label('MoveProjectColumnsOption');

export const columnParams = Joi.object<{ readonly column_id: number }>({
  column_id: Joi.number().integer().positive().required(),
}).unknown();

const changesOf = ({ title, color, sorting, card_limit: cardLimit }: ColumnBody): ColumnChanges => ({
  ...(title !== undefined && { title }),
  ...(typeof color === 'string' && { color }),
  ...(typeof sorting === 'number' && { sorting }),
  ...(typeof cardLimit === 'number' && { cardLimit }),
});

const columnsOf = (path: string) => `${path}/{id}/columns`;
const columnOf = (path: string) => `${columnsOf(path)}/{column_id}`;

const listColumns = ({ path, id, tags, read }: ProjectRoot, { columns, presenter }: ProjectServices) =>
  defineRoute({
    method: 'GET',
    path: columnsOf(path),
    id: `${id}ListProjectColumns`,
    tags,
    summary: 'Columns of a project board in their order',
    access: read.project,
    responses: { 200: Joi.array().items(projectColumnSchema).label('ProjectColumnList'), 404: null },
    async handler({ actor, resource: { project, scope }, page }) {
      const all = await columns.list(project.id);
      const pageColumns = all.slice(page.offset, page.offset + page.limit);
      return reply.list(await presenter.columns(pageColumns, scope, actor), all.length);
    },
  });

const createColumn = ({ path, id, tags, write }: ProjectRoot, { columns, presenter }: ProjectServices) =>
  defineRoute({
    method: 'POST',
    path: columnsOf(path),
    id: `${id}CreateProjectColumn`,
    tags,
    summary: 'Create a column of a project board',
    access: write.project,
    request: { payload: createBody },
    responses: { 201: projectColumnSchema, 404: null },
    async handler({ actor, resource: { project, scope }, payload }) {
      const column = await columns.create(project.id, { ...changesOf(payload), title: payload.title }, actor.id);
      return reply.created(await presenter.column(column, scope, actor));
    },
  });

const moveColumns = ({ path, id, tags, write }: ProjectRoot, { columns }: ProjectServices) =>
  defineRoute({
    method: 'POST',
    path: `${columnsOf(path)}/move`,
    id: `${id}MoveProjectColumns`,
    tags,
    summary: 'Put the columns of a project board in another order',
    access: write.project,
    request: { payload: moveBody },
    responses: { 204: null, 404: null },
    async handler({ actor, resource: { project }, payload }) {
      await columns.reorder(project.id, payload.column_ids, actor.id);
      return reply.none();
    },
  });

const getColumn = ({ path, id, tags, read }: ProjectRoot, { columns, presenter }: ProjectServices) =>
  defineRoute({
    method: 'GET',
    path: columnOf(path),
    id: `${id}GetProjectColumn`,
    tags,
    summary: 'One column of a project board',
    access: read.project,
    request: { params: columnParams },
    responses: { 200: projectColumnSchema, 404: null },
    handler: async ({ actor, resource: { project, scope }, params }) =>
      presenter.column(await columns.of(project.id, params.column_id), scope, actor),
  });

const editColumn = ({ path, id, tags, write }: ProjectRoot, { columns, presenter }: ProjectServices) =>
  defineRoute({
    method: 'PATCH',
    path: columnOf(path),
    id: `${id}EditProjectColumn`,
    tags,
    summary: 'Change a column of a project board',
    access: write.project,
    request: { params: columnParams, payload: editBody },
    responses: { 200: projectColumnSchema, 404: null },
    handler: async ({ actor, resource: { project, scope }, params, payload }) =>
      presenter.column(await columns.edit(project.id, params.column_id, changesOf(payload), actor.id), scope, actor),
  });

const deleteColumn = ({ path, id, tags, write }: ProjectRoot, { columns, presenter }: ProjectServices) =>
  defineRoute({
    method: 'DELETE',
    path: columnOf(path),
    id: `${id}DeleteProjectColumn`,
    tags,
    summary: 'Delete a column of a project board; its cards go to the default column, which stays',
    access: write.project,
    request: { params: columnParams },
    responses: { 204: null, 404: null },
    async handler({ actor, resource: { project, scope }, params }) {
      const column = await columns.of(project.id, params.column_id);
      const record = await presenter.column(column, scope, actor);
      await columns.delete(project.id, column.id, actor.id, { ...record });
      return reply.none();
    },
  });

const setDefaultColumn = ({ path, id, tags, write }: ProjectRoot, { columns }: ProjectServices) =>
  defineRoute({
    method: 'POST',
    path: `${columnOf(path)}/default`,
    id: `${id}SetDefaultProjectColumn`,
    tags,
    summary: 'Make a column the default one, where issues stand that are put on the board without saying where',
    access: write.project,
    request: { params: columnParams },
    responses: { 204: null, 404: null },
    async handler({ actor, resource: { project }, params }) {
      await columns.makeDefault(project.id, params.column_id, actor.id);
      return reply.none();
    },
  });

const operations = [listColumns, createColumn, moveColumns, getColumn, editColumn, deleteColumn, setDefaultColumn];

/** Columns of boards (PRJ-05). */
export const columnRoutes = (services: ProjectServices): Route[] =>
  projectRoots.own.flatMap((root) => operations.map((operation): Route => operation(root, services)));
