import { BadRequest, Joi, NotFound, defineRoute, reply, type Route } from '@mortise/plugin-sdk';
import type { IssueContext } from '../api.js';
import { addLabels } from '../services/labels.js';
import type { IssueServices } from '../services/services.js';
import { labelListSchema } from './labels.js';
import { issuePath, readIssue, tags, writeIssue } from './route-options.js';
import { isId } from '../services/search-filters.js';
import { t } from '../texts/index.js';

const body = Joi.object<{ readonly labels?: readonly unknown[] | null }>({
  labels: Joi.array().items(Joi.any()).max(100).allow(null).description('Ids or names, not both'),
}).label('IssueLabelsOption');

/** Labels on an issue or a pull request (ISS-05, ISS-06). */
export function issueLabelRoutes({ reader, presenter, labels, issues }: IssueServices): Route[] {
  const list = `${issuePath}/labels` as const;
  const show = async ({ repository, issue }: IssueContext) =>
    ((await reader.labels([issue.id])).get(issue.id) ?? []).map((label) => presenter.labelOf(label, repository));

  /** Those that exist, in the order of the request; unknown ones are passed over. */
  const wanted = async ({ repository }: IssueContext, given: readonly unknown[]) => {
    if (given.every((one) => typeof one === 'number')) return labels.usableIn(repository, { ids: given });
    if (!given.every((one) => typeof one === 'string')) throw BadRequest(t.later('error.labelList'));
    return labels.usableIn(repository, { names: given });
  };

  return [
    defineRoute({
      method: 'GET',
      path: list,
      id: 'issueGetLabels',
      tags,
      summary: 'Labels of an issue',
      access: readIssue,
      responses: { 200: labelListSchema, 404: null },
      handler: ({ resource }) => show(resource),
    }),
    defineRoute({
      method: 'POST',
      path: list,
      id: 'issueAddLabel',
      tags,
      summary: 'Add labels; exclusive ones drive out those of their scope',
      access: writeIssue,
      request: { payload: body },
      responses: { 200: labelListSchema, 400: null, 404: null },
      async handler({ actor, resource, payload }) {
        const added = await wanted(resource, payload.labels ?? []);
        await issues.changeLabels(
          resource.issue,
          (present) => addLabels(present, added),
          actor,
          'label_updated',
          added.length > 0,
        );
        return show(resource);
      },
    }),
    defineRoute({
      method: 'PUT',
      path: list,
      id: 'issueReplaceLabels',
      tags,
      summary: 'Replace the labels',
      access: writeIssue,
      request: { payload: body },
      responses: { 200: labelListSchema, 400: null, 404: null },
      async handler({ actor, resource, payload }) {
        const all = await wanted(resource, payload.labels ?? []);
        await issues.changeLabels(resource.issue, () => addLabels([], all), actor);
        return show(resource);
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: list,
      id: 'issueClearLabels',
      tags,
      summary: 'Remove all labels',
      access: writeIssue,
      responses: { 204: null, 404: null },
      async handler({ actor, resource }) {
        await issues.changeLabels(resource.issue, () => [], actor, 'label_cleared');
        return reply.none();
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: `${list}/{id}`,
      id: 'issueRemoveLabel',
      tags,
      summary: 'Remove one label',
      access: writeIssue,
      responses: { 204: null, 404: null },
      async handler({ actor, resource, params }) {
        const id = /^\d+$/.test(params.id) ? Number(params.id) : 0;
        const [label] = isId(id) ? await labels.usableIn(resource.repository, { ids: [id] }) : [];
        if (!label) throw NotFound('label');
        await issues.changeLabels(resource.issue, (present) => present.filter((one) => one.id !== id), actor);
        return reply.none();
      },
    }),
  ];
}
