import { Joi, defineRoute, reply, type Route } from '@mortise/plugin-sdk';
import { labelSchema } from '../api.js';
import type { IssueServices } from '../services/services.js';
import { base, readRepository, tags, writeRepository } from './route-options.js';

interface LabelBody {
  readonly name?: string | null;
  readonly color?: string | null;
  readonly description?: string | null;
  readonly exclusive?: boolean | null;
  readonly is_archived?: boolean | null;
}

const optional = {
  description: Joi.string().allow('', null).max(1000),
  exclusive: Joi.boolean().allow(null),
  is_archived: Joi.boolean().allow(null),
};
export const createLabelBody = Joi.object<LabelBody & { readonly name: string; readonly color: string }>({
  name: Joi.string().trim().max(50).required(),
  color: Joi.string().max(10).required().description('Hexadecimal, such as #a0c or 00aabb'),
  ...optional,
}).label('CreateLabelOption');
export const editLabelBody = Joi.object<LabelBody>({
  name: Joi.string().trim().max(50).allow('', null),
  color: Joi.string().max(10).allow('', null),
  ...optional,
}).label('EditLabelOption');

export const labelChanges = (body: LabelBody) => ({
  ...(body.name && { name: body.name }),
  ...(body.color && { color: body.color }),
  ...(typeof body.description === 'string' && { description: body.description }),
  ...(typeof body.exclusive === 'boolean' && { isExclusive: body.exclusive }),
  ...(typeof body.is_archived === 'boolean' && { isArchived: body.is_archived }),
});

export const labelListQuery = Joi.object<{ readonly sort?: string }>({
  sort: Joi.string().max(40).allow('').description('`reversealphabetically`: from the end of the alphabet'),
});
export const isReversed = ({ sort }: { readonly sort?: string }): boolean => sort === 'reversealphabetically';

export const labelListSchema = Joi.array().items(labelSchema).label('LabelList');

/** Labels of a repository (ISS-03). */
export function labelRoutes({
  labels,
  editLabel,
  presenter,
  responseCache,
}: Pick<IssueServices, 'labels' | 'editLabel' | 'presenter' | 'responseCache'>): Route[] {
  const list = `${base}/labels` as const;
  const one = `${list}/{id}` as const;
  return [
    defineRoute({
      method: 'GET',
      path: list,
      id: 'issueListLabels',
      tags,
      summary: 'Labels of a repository, by name',
      access: readRepository,
      request: { query: labelListQuery },
      responses: { 200: labelListSchema },
      handler({ resource: { repository }, query, page }) {
        const search = { ...page, isReversed: isReversed(query) };
        // of the repository they show the path alone
        const { id, ownerName, name } = repository;
        return responseCache.list(JSON.stringify(['labels', id, ownerName, name, search]), async () => {
          const { items, total } = await labels.list({ repositoryId: id }, search);
          return { items: items.map((label) => presenter.labelOf(label, repository)), total };
        });
      },
    }),
    defineRoute({
      method: 'POST',
      path: list,
      id: 'issueCreateLabel',
      tags,
      summary: 'Create a label',
      access: writeRepository,
      request: { payload: createLabelBody },
      responses: { 201: labelSchema },
      async handler({ resource: { repository }, payload }) {
        const { name, color } = payload;
        const label = await labels.create({ repositoryId: repository.id }, { ...labelChanges(payload), name, color });
        return reply.created(presenter.labelOf(label, repository));
      },
    }),
    defineRoute({
      method: 'GET',
      path: one,
      id: 'issueGetLabel',
      tags,
      summary: 'One label, by its number or name',
      access: readRepository,
      responses: { 200: labelSchema, 404: null },
      handler: async ({ resource: { repository }, params }) =>
        presenter.labelOf(await labels.of({ repositoryId: repository.id }, params.id), repository),
    }),
    defineRoute({
      method: 'PATCH',
      path: one,
      id: 'issueEditLabel',
      tags,
      summary: 'Change a label; empty names and colours are passed over',
      access: writeRepository,
      request: { payload: editLabelBody },
      responses: { 200: labelSchema, 404: null },
      async handler({ actor, resource: { repository }, params, payload }) {
        const label = await labels.of({ repositoryId: repository.id }, params.id);
        return presenter.labelOf(await editLabel(label, labelChanges(payload), actor), repository);
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: one,
      id: 'issueDeleteLabel',
      tags,
      summary: 'Delete a label; it comes off all issues',
      access: writeRepository,
      responses: { 204: null, 404: null },
      async handler({ resource: { repository }, params }) {
        await labels.delete(await labels.of({ repositoryId: repository.id }, params.id));
        return reply.none();
      },
    }),
  ];
}
