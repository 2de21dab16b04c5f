import { defineRoute, Joi, reply, type Route } from '@mortise/plugin-sdk';
import { viewLayouts } from '../api.js';
import type { ProjectView, ViewLayout } from '../contract/fields.js';
import { maxFilter, maxViewTitle, type ViewChanges } from '../services/views.js';
import type { ProjectServices } from '../services/services.js';
import { projectPath, projectTags, readProject, writeProject } from './project-access.js';

interface ViewBody {
  readonly title?: string;
  readonly layout?: ViewLayout;
  readonly filter?: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly default?: boolean;
}
const optionsSchema = Joi.object().unknown().label('ProjectViewOptions');
const fields = {
  layout: Joi.string().valid(...viewLayouts),
  filter: Joi.string().allow('').max(maxFilter).description('As in the address of the list of issues, without `?`'),
  options: optionsSchema.description('What the layout knows more: `sort`, `order` and `group` of its page'),
  default: Joi.boolean().description('The board opens with it, in the place of the view that was the default'),
};
const title = Joi.string().max(maxViewTitle);
const createBody = Joi.object<ViewBody & { readonly title: string }>({ title: title.required(), ...fields }).label(
  'CreateProjectViewOption',
);
const editBody = Joi.object<ViewBody>({ title, ...fields }).label('EditProjectViewOption');
const params = Joi.object<{ readonly view_id: number }>({
  view_id: Joi.number().integer().positive().required(),
}).unknown();
const viewSchema = Joi.object({
  id: Joi.number().integer().required(),
  title: Joi.string().required(),
  layout: Joi.string()
    .valid(...viewLayouts)
    .required(),
  filter: Joi.string().allow('').required(),
  options: optionsSchema.required(),
  default: Joi.boolean().required(),
}).label('ProjectView');

const toApi = ({ id, title: called, layout, filter, options, isDefault }: ProjectView) => ({
  id,
  title: called,
  layout,
  filter,
  options,
  default: isDefault,
});

const changesOf = ({ default: isDefault, ...given }: ViewBody): ViewChanges => ({
  ...given,
  ...(isDefault !== undefined && { isDefault }),
});

/** Views of boards. */
export function viewRoutes({ views }: ProjectServices): Route[] {
  const list = `${projectPath}/views` as const;
  const viewPath = `${list}/{view_id}` as const;
  return [
    defineRoute({
      method: 'GET',
      path: list,
      id: 'projectListViews',
      tags: projectTags,
      summary: 'Views of a project board',
      access: readProject,
      responses: { 200: Joi.array().items(viewSchema).label('ProjectViewList'), 404: null },
      async handler({ resource: { project }, page }) {
        const all = await views.list(project.id);
        return reply.list(all.slice(page.offset, page.offset + page.limit).map(toApi), all.length);
      },
    }),
    defineRoute({
      method: 'POST',
      path: list,
      id: 'projectCreateView',
      tags: projectTags,
      summary: 'Create a view of a project board',
      access: writeProject,
      request: { payload: createBody },
      responses: { 201: viewSchema, 404: null },
      handler: async ({ actor, resource: { project }, payload }) =>
        reply.created(toApi(await views.create(project.id, { ...changesOf(payload), title: payload.title }, actor.id))),
    }),
    defineRoute({
      method: 'PATCH',
      path: viewPath,
      id: 'projectEditView',
      tags: projectTags,
      summary: 'Change a view of a project board',
      access: writeProject,
      request: { params, payload: editBody },
      responses: { 200: viewSchema, 404: null },
      handler: async ({ resource: { project }, params: { view_id: id }, payload }) =>
        toApi(await views.edit(project.id, id, changesOf(payload))),
    }),
    defineRoute({
      method: 'DELETE',
      path: viewPath,
      id: 'projectDeleteView',
      tags: projectTags,
      summary: 'Delete a view of a project board',
      access: writeProject,
      request: { params },
      responses: { 204: null, 404: null },
      async handler({ resource: { project }, params: { view_id: id } }) {
        await views.delete(project.id, id);
        return reply.none();
      },
    }),
  ];
}
