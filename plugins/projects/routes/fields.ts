import { defineRoute, Joi, reply, type Route } from '@mortise/plugin-sdk';
import { fieldKinds, type FieldKind, type ProjectField } from '../contract/fields.js';
import { maxDays, maxFieldName, maxOptions, type GivenOption } from '../services/fields.js';
import type { ProjectServices } from '../services/services.js';
import { projectPath, projectTags, readProject, writeProject } from './project-access.js';

interface OptionBody {
  readonly id?: number;
  readonly title: string;
  readonly color?: string;
  readonly starts_on?: string;
  readonly days?: number;
}
const options = Joi.array()
  .items(
    Joi.object<OptionBody>({
      id: Joi.number().integer().positive().description('Of an option that stays'),
      title: Joi.string().max(maxFieldName).required(),
      color: Joi.string().allow('').max(7),
      starts_on: Joi.string().allow('').max(10).description('First day of an iteration, YYYY-MM-DD'),
      days: Joi.number().integer().min(0).max(maxDays).description('Length of an iteration'),
    }).label('ProjectFieldOptionBody'),
  )
  .max(maxOptions)
  .description('Of fields of the kinds single_select and iteration: all of them in their order')
  .label('ProjectFieldOptionBodies');
/** Programs that were written before the kind had the name of compatible services still send it. */
const formerName = 'choice';
const createBody = Joi.object<{
  readonly name: string;
  readonly kind: FieldKind | typeof formerName;
  readonly options?: readonly OptionBody[];
}>({
  name: Joi.string().max(maxFieldName).required(),
  kind: Joi.string()
    .valid(...fieldKinds, formerName)
    .required()
    .description('`choice`, the former name of `single_select`, is taken too'),
  options,
}).label('CreateProjectFieldOption');
const editBody = Joi.object<{ readonly name?: string; readonly options?: readonly OptionBody[] }>({
  name: Joi.string().max(maxFieldName),
  options,
}).label('EditProjectFieldOption');
const params = Joi.object<{ readonly field_id: number }>({
  field_id: Joi.number().integer().positive().required(),
}).unknown();

const fieldSchema = Joi.object({
  id: Joi.number().integer().required(),
  name: Joi.string().required(),
  kind: Joi.string()
    .valid(...fieldKinds)
    .required(),
  options: Joi.array()
    .items(
      Joi.object({
        id: Joi.number().integer().required(),
        title: Joi.string().required(),
        color: Joi.string().allow('').required(),
        starts_on: Joi.string().allow('').required(),
        days: Joi.number().integer().required(),
      }).label('ProjectFieldOption'),
    )
    .required()
    .label('ProjectFieldOptions'),
}).label('ProjectField');

const toApi = ({ id, name, kind, options: all }: ProjectField) => ({
  id,
  name,
  kind,
  options: all.map(({ startsOn, ...option }) => ({ ...option, starts_on: startsOn })),
});

const optionsOf = (given: readonly OptionBody[] | undefined): { options?: readonly GivenOption[] } =>
  given ? { options: given.map(({ starts_on: startsOn, ...one }) => ({ ...one, ...(startsOn && { startsOn }) })) } : {};

/** Fields that boards have of their own. */
export function fieldRoutes({ fields }: ProjectServices): Route[] {
  const list = `${projectPath}/fields` as const;
  const fieldPath = `${list}/{field_id}` as const;
  return [
    defineRoute({
      method: 'GET',
      path: list,
      id: 'projectListFields',
      tags: projectTags,
      summary: 'Fields that a project board has of its own',
      access: readProject,
      responses: { 200: Joi.array().items(fieldSchema).label('ProjectFieldList'), 404: null },
      async handler({ resource: { project }, page }) {
        const all = await fields.list(project.id);
        return reply.list(all.slice(page.offset, page.offset + page.limit).map(toApi), all.length);
      },
    }),
    defineRoute({
      method: 'POST',
      path: list,
      id: 'projectCreateField',
      tags: projectTags,
      summary: 'Create a field of a project board',
      access: writeProject,
      request: { payload: createBody },
      responses: { 201: fieldSchema, 404: null },
      handler: async ({ resource: { project }, payload: { name, kind, options: given } }) =>
        reply.created(
          toApi(
            await fields.create(project.id, {
              name,
              kind: kind === formerName ? 'single_select' : kind,
              ...optionsOf(given),
            }),
          ),
        ),
    }),
    defineRoute({
      method: 'PATCH',
      path: fieldPath,
      id: 'projectEditField',
      tags: projectTags,
      summary: 'Change a field of a project board; options that are left out go, and the values of cards with them',
      access: writeProject,
      request: { params, payload: editBody },
      responses: { 200: fieldSchema, 404: null },
      handler: async ({ resource: { project }, params: { field_id: id }, payload: { name, options: given } }) =>
        toApi(await fields.edit(project.id, id, { ...(name !== undefined && { name }), ...optionsOf(given) })),
    }),
    defineRoute({
      method: 'DELETE',
      path: fieldPath,
      id: 'projectDeleteField',
      tags: projectTags,
      summary: 'Delete a field of a project board with what cards have in it',
      access: writeProject,
      request: { params },
      responses: { 204: null, 404: null },
      async handler({ resource: { project }, params: { field_id: id } }) {
        await fields.delete(project.id, id);
        return reply.none();
      },
    }),
  ];
}
