import { Joi, defineRoute, dueDateOf, endOfDay, reply, type Route } from '@mortise/plugin-sdk';
import { milestoneSchema } from '../api.js';
import { toApiMilestone } from '../services/issue-presenter.js';
import type { IssueServices } from '../services/services.js';
import { base, readRepository, stateOf, tags, timeText, writeRepository } from './route-options.js';

interface MilestoneBody {
  readonly title?: string | null;
  readonly description?: string | null;
  readonly due_on?: string | null;
  readonly state?: string | null;
}
const fields = {
  description: Joi.string().allow('', null).max(1_000_000),
  due_on: timeText(),
  state: Joi.string().allow('', null).valid('open', 'closed'),
};
const createBody = Joi.object<MilestoneBody & { readonly title: string }>({
  title: Joi.string().trim().max(255).required(),
  ...fields,
}).label('CreateMilestoneOption');
const editBody = Joi.object<MilestoneBody>({ title: Joi.string().trim().max(255).allow('', null), ...fields }).label(
  'EditMilestoneOption',
);
const listQuery = Joi.object<{ readonly state?: string; readonly name?: string }>({
  state: Joi.string().allow('').description('open (default), closed or all'),
  name: Joi.string().allow('').max(255).description('Part of the title'),
});

const changesOf = ({ description, state }: MilestoneBody) => ({
  ...(typeof description === 'string' && { description }),
  ...(state && { isClosed: state === 'closed' }),
});

/** Milestones of a repository (ISS-12, ISS-13), by number or title. */
export function milestoneRoutes({
  milestones,
  responseCache,
}: Pick<IssueServices, 'milestones' | 'responseCache'>): Route[] {
  const list = `${base}/milestones` as const;
  const one = `${list}/{id}` as const;
  return [
    defineRoute({
      method: 'GET',
      path: list,
      id: 'issueGetMilestonesList',
      tags,
      summary: 'Milestones of a repository, those that are due first in front',
      access: readRepository,
      request: { query: listQuery },
      responses: { 200: Joi.array().items(milestoneSchema).label('MilestoneList') },
      handler({ resource, query, page }) {
        const search = {
          repositoryId: resource.repository.id,
          ...stateOf(query.state),
          ...(query.name && { text: query.name }),
          ...page,
        };
        return responseCache.list(JSON.stringify(['milestones', search]), async () => {
          const { items, total } = await milestones.list(search);
          return { items: items.map(toApiMilestone), total };
        });
      },
    }),
    defineRoute({
      method: 'POST',
      path: list,
      id: 'issueCreateMilestone',
      tags,
      summary: 'Create a milestone',
      access: writeRepository,
      request: { payload: createBody },
      responses: { 201: milestoneSchema },
      async handler({ resource, payload }) {
        const dueAt = dueDateOf(payload.due_on, 'due_on') ?? 0;
        const { title } = payload;
        return reply.created(
          toApiMilestone(await milestones.create(resource.repository.id, { ...changesOf(payload), title, dueAt })),
        );
      },
    }),
    defineRoute({
      method: 'GET',
      path: one,
      id: 'issueGetMilestone',
      tags,
      summary: 'One milestone',
      access: readRepository,
      responses: { 200: milestoneSchema, 404: null },
      handler: async ({ resource, params }) => toApiMilestone(await milestones.of(resource.repository.id, params.id)),
    }),
    defineRoute({
      method: 'PATCH',
      path: one,
      id: 'issueEditMilestone',
      tags,
      summary: 'Change a milestone; an empty title is passed over, dates hold to the end of their day (UTC)',
      access: writeRepository,
      request: { payload: editBody },
      responses: { 200: milestoneSchema, 404: null },
      async handler({ resource, params, payload }) {
        const milestone = await milestones.of(resource.repository.id, params.id);
        const due = dueDateOf(payload.due_on, 'due_on');
        const changes = {
          ...changesOf(payload),
          ...(payload.title && { title: payload.title }),
          ...(due !== undefined && { dueAt: endOfDay(due) }),
        };
        return toApiMilestone(await milestones.edit(milestone, changes));
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: one,
      id: 'issueDeleteMilestone',
      tags,
      summary: 'Delete a milestone; its issues stay',
      access: writeRepository,
      responses: { 204: null, 404: null },
      async handler({ resource, params }) {
        await milestones.delete(await milestones.of(resource.repository.id, params.id));
        return reply.none();
      },
    }),
  ];
}
