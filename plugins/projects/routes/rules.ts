import { defineRoute, Joi, reply, type Route } from '@mortise/plugin-sdk';
import { ruleEvents } from '../api.js';
import { projectSchema } from '../contract/models.js';
import type { ProjectRule, RuleEvent } from '../contract/fields.js';
import type { ProjectServices } from '../services/services.js';
import { projectPath, projectTags, readProject, writeProject } from './project-access.js';

const event = Joi.string()
  .valid(...ruleEvents)
  .required();
const params = Joi.object<{ readonly event: RuleEvent }>({ event }).unknown();
const body = Joi.object<{ readonly column_id: number }>({
  column_id: Joi.number().integer().positive().required(),
}).label('SetProjectRuleOption');
const ruleSchema = Joi.object({ event, column_id: Joi.number().integer().required() }).label('ProjectRule');

const toApi = ({ event: happened, columnId }: ProjectRule) => ({ event: happened, column_id: columnId });

/** A board by its number, and the rules by which its cards move by themselves. */
export function ruleRoutes({ rules, presenter }: ProjectServices): Route[] {
  const list = `${projectPath}/rules` as const;
  const rulePath = `${list}/{event}` as const;
  return [
    defineRoute({
      method: 'GET',
      path: projectPath,
      id: 'projectGet',
      tags: projectTags,
      summary: 'One project board, wherever it belongs',
      access: readProject,
      responses: { 200: projectSchema, 404: null },
      handler: ({ actor, resource: { project, scope } }) => presenter.project(project, scope, actor),
    }),
    defineRoute({
      method: 'GET',
      path: list,
      id: 'projectListRules',
      tags: projectTags,
      summary: 'Rules by which cards of a project board move by themselves',
      access: readProject,
      responses: { 200: Joi.array().items(ruleSchema).label('ProjectRuleList'), 404: null },
      async handler({ resource: { project }, page }) {
        const all = await rules.list(project.id);
        return reply.list(all.slice(page.offset, page.offset + page.limit).map(toApi), all.length);
      },
    }),
    defineRoute({
      method: 'PUT',
      path: rulePath,
      id: 'projectSetRule',
      tags: projectTags,
      summary: 'Have cards moved to a column when something happens to their issues; `opened` adds new ones',
      access: writeProject,
      request: { params, payload: body },
      responses: { 200: ruleSchema, 404: null },
      handler: async ({ resource: { project }, params: { event: happens }, payload }) =>
        toApi(await rules.set(project.id, happens, payload.column_id)),
    }),
    defineRoute({
      method: 'DELETE',
      path: rulePath,
      id: 'projectDeleteRule',
      tags: projectTags,
      summary: 'Take a rule away',
      access: writeProject,
      request: { params },
      responses: { 204: null, 404: null },
      async handler({ resource: { project }, params: { event: happens } }) {
        await rules.delete(project.id, happens);
        return reply.none();
      },
    }),
  ];
}
