import { defineRoute, reply, type Route } from '@mortise/plugin-sdk';
import type { Groups } from '../services/groups.js';
import { toApiRule } from '../services/presenter.js';
import { administer } from './access.js';
import { newRule, ruleChanges, ruleList, ruleSchema } from './models.js';

/** Rules of quotas, for administrators (Forgejo: `/admin/quota/rules`). */
export function ruleRoutes({ groups }: { readonly groups: Groups }): readonly Route[] {
  const path = '/api/v1/admin/quota/rules';
  const one = `${path}/{quotarule}`;
  return [
    defineRoute({
      ...administer,
      method: 'GET',
      path,
      id: 'adminListQuotaRules',
      summary: 'Rules of quotas',
      responses: { 200: ruleList },
      handler: async () => (await groups.rules()).map(toApiRule),
    }),
    defineRoute({
      ...administer,
      method: 'POST',
      path,
      id: 'adminCreateQuotaRule',
      summary: 'Add a rule of quotas',
      request: { payload: newRule },
      responses: { 201: ruleSchema },
      handler: async ({ payload }) => reply.created(toApiRule(await groups.addRule(payload))),
    }),
    defineRoute({
      ...administer,
      method: 'GET',
      path: one,
      id: 'adminGetQuotaRule',
      summary: 'A rule of quotas',
      responses: { 200: ruleSchema },
      handler: async ({ params }) => toApiRule(await groups.rule(params.quotarule)),
    }),
    defineRoute({
      ...administer,
      method: 'PATCH',
      path: one,
      id: 'adminEditQuotaRule',
      summary: 'Change a rule of quotas',
      request: { payload: ruleChanges },
      responses: { 200: ruleSchema },
      handler: async ({ params, payload }) => toApiRule(await groups.changeRule(params.quotarule, payload)),
    }),
    defineRoute({
      ...administer,
      method: 'DELETE',
      path: one,
      id: 'adminDeleteQuotaRule',
      summary: 'Delete a rule of quotas',
      responses: { 204: null },
      async handler({ params }) {
        await groups.deleteRule(params.quotarule);
        return reply.none();
      },
    }),
  ];
}
