import { defineRoute, Joi, reply, type Actor, type Route, queryFlag } from '@mortise/plugin-sdk';
import { issueSchema } from '@mortise/issues/api';
import type { Project, ProjectCard } from '../contract/projects.js';
import type { ProjectServices } from '../services/services.js';
import { readableIssue } from './cards.js';
import { projectPath, projectTags, readProject, writeProject } from './project-access.js';

const id = () => Joi.number().integer().positive();
const maxValues = 50;

const valueSchema = Joi.object({
  field_id: Joi.number().integer().required(),
  value: Joi.alternatives(Joi.string(), Joi.number()).required(),
  option_id: Joi.number().integer().allow(null).required(),
}).label('ProjectFieldValue');
const cardSchema = Joi.object({
  id: Joi.number().integer().required(),
  project_id: Joi.number().integer().required(),
  column_id: Joi.number().integer().required(),
  is_archived: Joi.boolean().required(),
  issue: issueSchema.required(),
  values: Joi.array().items(valueSchema).required(),
}).label('ProjectCard');

const listQuery = Joi.object<{ readonly column_id?: number; readonly archived?: boolean }>({
  column_id: id().description('Only the cards of this column'),
  archived: queryFlag().description('The cards in the archive, the last one first'),
});
const editBody = Joi.object<{
  readonly is_archived?: boolean;
  readonly values?: readonly { readonly field_id: number; readonly value?: string | number | null }[];
}>({
  is_archived: Joi.boolean(),
  values: Joi.array()
    .items(
      Joi.object({
        field_id: id().required(),
        // digits in quotes are a text: the title of an option can be `5`
        value: Joi.alternatives(Joi.number().strict().unsafe(), Joi.string().allow('').max(1000))
          .allow(null)
          .description('A text, a number, a date (YYYY-MM-DD), or the id or title of an option; null takes it away'),
      }).label('EditProjectFieldValue'),
    )
    .max(maxValues),
}).label('EditProjectCardOption');
const params = Joi.object<{ readonly issue_id: number }>({ issue_id: id().required() }).unknown();

/** Cards of a board with the values of its own fields. */
export function projectCardRoutes(services: ProjectServices): Route[] {
  const { cards, cardReader, columns, fields, deps } = services;
  const toApi = async (project: Project, shown: readonly ProjectCard[], actor: Actor) => {
    const [found, values] = await Promise.all([
      deps.issues.byIds(shown.map(({ issueId }) => issueId)),
      fields.list(project.id).then((all) =>
        fields.values(
          all,
          shown.map((card) => card.id),
        ),
      ),
    ]);
    const records = new Map((await deps.issues.toApi([...found.values()], actor)).map((one) => [one.id, one]));
    return shown.flatMap((card) => {
      const issue = records.get(card.issueId);
      if (!issue) return [];
      return [
        {
          id: card.id,
          project_id: card.projectId,
          column_id: card.columnId,
          is_archived: card.isArchived,
          issue,
          values: (values.get(card.id) ?? []).map(({ fieldId, value, optionId }) => ({
            field_id: fieldId,
            value,
            option_id: optionId || null,
          })),
        },
      ];
    });
  };
  return [
    defineRoute({
      method: 'GET',
      path: `${projectPath}/cards`,
      id: 'projectListCards',
      tags: projectTags,
      summary: 'Cards of a project board with the values of its fields, as far as one may read their issues',
      access: readProject,
      request: { query: listQuery },
      responses: { 200: Joi.array().items(cardSchema).label('ProjectCardList'), 404: null },
      async handler({ actor, resource: { project, scope }, query, page }) {
        const column = query.column_id ? await columns.of(project.id, query.column_id) : undefined;
        const { items, total } = await cardReader.list(
          project,
          { actor, scope },
          { ...(column && { columnId: column.id }), isArchived: query.archived ?? false, ...page },
        );
        return reply.list(await toApi(project, items, actor), total);
      },
    }),
    defineRoute({
      method: 'PATCH',
      path: `${projectPath}/cards/{issue_id}`,
      id: 'projectEditCard',
      tags: projectTags,
      summary: 'Change the card of an issue: values of fields, into the archive and back',
      access: writeProject,
      request: { params, payload: editBody },
      responses: { 200: cardSchema, 404: null },
      async handler({ actor, resource: { project }, params: { issue_id: issueId }, payload }) {
        const issue = await readableIssue(services, issueId, actor);
        const card = await cards.edit(
          project,
          issue,
          {
            ...(payload.is_archived !== undefined && { isArchived: payload.is_archived }),
            ...(payload.values && {
              values: payload.values.map(({ field_id: fieldId, value }) => ({ fieldId, value: value ?? null })),
            }),
          },
          { actorId: actor.id },
        );
        return (await toApi(project, [card], actor))[0];
      },
    }),
  ];
}
