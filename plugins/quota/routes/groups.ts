import { defineRoute, reply, type Route } from '@mortise/plugin-sdk';
import type { Groups } from '../services/groups.js';
import { toApiGroup } from '../services/presenter.js';
import { administer } from './access.js';
import { groupList, groupSchema, newGroup } from './models.js';

/** Groups of rules, for administrators (Forgejo: `/admin/quota/groups`). */
export function groupRoutes({ groups }: { readonly groups: Groups }): readonly Route[] {
  const path = '/api/v1/admin/quota/groups';
  const one = `${path}/{quotagroup}`;
  return [
    defineRoute({
      ...administer,
      method: 'GET',
      path,
      id: 'adminListQuotaGroups',
      summary: 'Groups of quota rules',
      responses: { 200: groupList },
      handler: async () => (await groups.list()).map(toApiGroup),
    }),
    defineRoute({
      ...administer,
      method: 'POST',
      path,
      id: 'adminCreateQuotaGroup',
      summary: 'Add a group of quota rules, with rules that it makes',
      request: { payload: newGroup },
      responses: { 201: groupSchema },
      handler: async ({ payload }) => reply.created(toApiGroup(await groups.add(payload.name, payload.rules ?? []))),
    }),
    defineRoute({
      ...administer,
      method: 'GET',
      path: one,
      id: 'adminGetQuotaGroup',
      summary: 'A group of quota rules',
      responses: { 200: groupSchema },
      handler: async ({ params }) => toApiGroup(await groups.byName(params.quotagroup)),
    }),
    defineRoute({
      ...administer,
      method: 'DELETE',
      path: one,
      id: 'adminDeleteQuotaGroup',
      summary: 'Delete a group of quota rules; its rules stay',
      responses: { 204: null },
      async handler({ params }) {
        await groups.delete(params.quotagroup);
        return reply.none();
      },
    }),
    defineRoute({
      ...administer,
      method: 'PUT',
      path: `${one}/rules/{quotarule}`,
      id: 'adminAddRuleToQuotaGroup',
      summary: 'Add a rule to a group',
      responses: { 204: null },
      async handler({ params }) {
        await groups.addRuleTo(params.quotagroup, params.quotarule);
        return reply.none();
      },
    }),
    defineRoute({
      ...administer,
      method: 'DELETE',
      path: `${one}/rules/{quotarule}`,
      id: 'adminRemoveRuleFromQuotaGroup',
      summary: 'Remove a rule from a group',
      responses: { 204: null },
      async handler({ params }) {
        await groups.removeRuleFrom(params.quotagroup, params.quotarule);
        return reply.none();
      },
    }),
  ];
}
