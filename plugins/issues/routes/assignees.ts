import { BadRequest, Joi, NotFound, defineRoute, reply, type Route } from '@mortise/plugin-sdk';
import { issueSchema } from '../api.js';
import type { IssueServices } from '../services/services.js';
import { issuePath, readIssue, tags, writeIssue } from './route-options.js';
import { t } from '../texts/index.js';

const body = Joi.object<{ readonly assignees?: readonly string[] | null }>({
  assignees: Joi.array().items(Joi.string().max(255)).max(100).allow(null),
}).label('IssueAssigneesOption');

/** Whom an issue is given to. */
export function assigneeRoutes({ deps, reader, presenter, issues, assignees }: IssueServices): Route[] {
  const list = `${issuePath}/assignees` as const;
  return [
    defineRoute({
      method: 'GET',
      path: `${list}/{assignee}`,
      id: 'issueCheckAssignee',
      tags,
      summary: 'Can the user be assigned?',
      access: readIssue,
      responses: { 204: null, 400: null, 404: null },
      async handler({ resource, params }) {
        const account = await deps.accounts.byName(params.assignee);
        if (!account) throw NotFound('user');
        if (account.kind !== 'user') throw BadRequest(t.later('error.notUser', { name: account.name }));
        if (!(await assignees.isAssignable(resource.repository, resource.issue.isPull, account)))
          throw NotFound('assignee');
        return reply.none();
      },
    }),
    defineRoute({
      method: 'POST',
      path: list,
      id: 'issueAddAssignees',
      tags,
      summary: 'Add assignees',
      access: writeIssue,
      request: { payload: body },
      responses: { 201: issueSchema, 404: null },
      async handler({ actor, resource, payload }) {
        const { repository, issue } = resource;
        const added = (
          await assignees.accountsOf({ repository, isPull: issue.isPull, actor }, payload.assignees ?? [])
        ).map(({ id }) => id);
        await issues.changeAssignees(issue, (present) => [...present, ...added], actor);
        return reply.created((await presenter.toApi([(await reader.byId(issue.id)) ?? issue], actor))[0]);
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: list,
      id: 'issueRemoveAssignees',
      tags,
      summary: 'Remove assignees',
      access: writeIssue,
      request: { payload: body },
      responses: { 200: issueSchema, 404: null },
      async handler({ actor, resource, payload }) {
        const { issue } = resource;
        const removed = new Set(await assignees.known(payload.assignees ?? []));
        await issues.changeAssignees(issue, (present) => present.filter((id) => !removed.has(id)), actor);
        return (await presenter.toApi([(await reader.byId(issue.id)) ?? issue], actor))[0];
      },
    }),
  ];
}
