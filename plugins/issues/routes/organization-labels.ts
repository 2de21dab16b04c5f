import { defineRoute, reply, type Route } from '@mortise/plugin-sdk';
import { organizationResource } from '@mortise/organizations/api';
import { labelSchema } from '../api.js';
import type { EditLabel } from '../services/label-editor.js';
import type { LabelService } from '../services/labels.js';
import type { IssuePresenter } from '../services/issue-presenter.js';
import { createLabelBody, editLabelBody, labelChanges, isReversed, labelListQuery, labelListSchema } from './labels.js';

const read = { actor: 'anyone', scope: 'organization', resource: organizationResource } as const;
// GEN-06: hidden organizations are missing here before anybody is asked to sign in, as the labels of hidden repositories are
const signedIn = { ...read, actor: 'user', signInFirst: false } as const;
const administer = { ...signedIn, mode: 'owner' } as const;
const tags = ['organization'];
const list = '/api/v1/orgs/{org}/labels';
const one = `${list}/{id}` as const;

/** Labels of an organization: issues of all its repositories may carry them. */
export function organizationLabelRoutes({
  labels,
  editLabel,
  presenter,
}: {
  readonly labels: LabelService;
  readonly editLabel: EditLabel;
  readonly presenter: IssuePresenter;
}): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: list,
      id: 'orgListLabels',
      tags,
      summary: 'Labels of an organization, by name',
      access: read,
      request: { query: labelListQuery },
      responses: { 200: labelListSchema },
      async handler({ resource: { account }, query, page }) {
        const search = { ...page, isReversed: isReversed(query) };
        const { items, total } = await labels.list({ organizationId: account.id }, search);
        const organizationUrl = presenter.organizationUrl(account.name);
        return reply.list(
          items.map((label) => presenter.label(label, organizationUrl)),
          total,
        );
      },
    }),
    defineRoute({
      method: 'POST',
      path: list,
      id: 'orgCreateLabel',
      tags,
      summary: 'Create a label of an organization',
      access: administer,
      request: { payload: createLabelBody },
      responses: { 201: labelSchema },
      async handler({ resource: { account }, payload }) {
        const { name, color } = payload;
        const label = await labels.create({ organizationId: account.id }, { ...labelChanges(payload), name, color });
        return reply.created(presenter.label(label, presenter.organizationUrl(account.name)));
      },
    }),
    defineRoute({
      method: 'GET',
      path: one,
      id: 'orgGetLabel',
      tags,
      summary: 'One label of an organization',
      access: signedIn,
      responses: { 200: labelSchema, 404: null },
      handler: async ({ resource: { account }, params }) =>
        presenter.label(
          await labels.of({ organizationId: account.id }, params.id),
          presenter.organizationUrl(account.name),
        ),
    }),
    defineRoute({
      method: 'PATCH',
      path: one,
      id: 'orgEditLabel',
      tags,
      summary: 'Change a label of an organization',
      access: administer,
      request: { payload: editLabelBody },
      responses: { 200: labelSchema, 404: null },
      async handler({ actor, resource: { account }, params, payload }) {
        const label = await labels.of({ organizationId: account.id }, params.id);
        return presenter.label(
          await editLabel(label, labelChanges(payload), actor),
          presenter.organizationUrl(account.name),
        );
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: one,
      id: 'orgDeleteLabel',
      tags,
      summary: 'Delete a label of an organization',
      access: administer,
      responses: { 204: null },
      async handler({ resource: { account }, params }) {
        // done twice is done once
        const label = await labels.find({ organizationId: account.id }, params.id);
        if (label) await labels.delete(label);
        return reply.none();
      },
    }),
  ];
}
