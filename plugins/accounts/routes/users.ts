import { defineRoute, Joi, PreparedJson, reply, type Route } from '@mortise/plugin-sdk';
import { userSchema, userResource, type Accounts } from '../api.js';
import type { Avatars } from '../services/avatars.js';

/** `/users`: what others see of accounts; and the pictures. */
export const usersRoutes = ({ accounts, avatars }: { accounts: Accounts; avatars: Avatars }): readonly Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/v1/users/search',
    id: 'userSearch',
    tags: ['user'],
    summary: 'Search accounts',
    access: { actor: 'anyone', scope: 'user' },
    request: {
      query: Joi.object<{ readonly q?: string; readonly uid?: number }>({
        q: Joi.string().allow(''),
        uid: Joi.number().integer().allow(''),
      }),
    },
    responses: { 200: Joi.object({ ok: Joi.boolean(), data: Joi.array().items(userSchema) }) },
    handler: async ({ actor, query, page }) => {
      const found = await accounts.search({
        text: query.q,
        id: query.uid || undefined,
        kind: 'user',
        visibleTo: actor,
        limit: page.limit,
        offset: page.offset,
      });
      const answer = reply.json({ ok: true, data: found.items.map((account) => accounts.toApiUser(account, actor)) });
      answer.total = found.total;
      return answer;
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/v1/users/{username}',
    id: 'userGet',
    tags: ['user'],
    summary: 'An account',
    access: { actor: 'anyone', scope: 'user', resource: userResource },
    responses: { 200: userSchema },
    handler: ({ actor, resource }) => PreparedJson.of(accounts.toApiUser(resource, actor)),
  }),
  defineRoute({
    method: 'GET',
    path: '/avatars/{key}',
    surface: 'protocol',
    access: { actor: 'anyone', always: true },
    handler: async ({ params }) => {
      const { body, type } = await avatars.read(params.key);
      return reply
        .bytes(body, type)
        .header('cache-control', 'public, max-age=604800, immutable')
        .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox");
    },
  }),
];
