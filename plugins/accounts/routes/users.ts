import { defineRoute, Joi, NotFound, PreparedJson, reply, type Actor, type Route } from '@mortise/plugin-sdk';
import { userSchema, userResource, type Accounts, type ApiUser, type ExploreRules } from '../api.js';
import { actionsUserId } from '../contract/actions-user.js';
import type { Avatars } from '../services/avatars.js';

/** As in records of what deleted accounts made. */
const ghostId = -1;

/** Who stands for deleted accounts and for workflows has a negative id and no row. */
async function standInOf(accounts: Accounts, id: number | undefined, actor: Actor): Promise<ApiUser | undefined> {
  if (id === ghostId) return accounts.ghost();
  if (id !== actionsUserId) return undefined;
  const user = await accounts.byId(id);
  return user && accounts.toApiUser(user, actor);
}

interface UsersDeps {
  readonly accounts: Accounts;
  readonly avatars: Avatars;
  readonly rules: ExploreRules;
  readonly isSearchable: boolean;
}

/** `/users`: what others see of accounts; and the pictures. */
export const usersRoutes = ({ accounts, avatars, rules, isSearchable }: UsersDeps): readonly Route[] => [
  defineRoute({
    method: 'GET',
    path: '/api/v1/users/search',
    id: 'userSearch',
    tags: ['user'],
    summary: 'Search accounts',
    access: { actor: rules.actor, scope: 'user' },
    request: {
      query: Joi.object<{ readonly q?: string; readonly uid?: number }>({
        q: Joi.string().allow(''),
        uid: Joi.number().integer().allow(''),
      }),
    },
    responses: { 200: Joi.object({ ok: Joi.boolean(), data: Joi.array().items(userSchema) }) },
    handler: async ({ actor, query, page }) => {
      if (!isSearchable) throw NotFound('page');
      const standIn = await standInOf(accounts, query.uid, actor);
      if (standIn) {
        const answer = reply.json({ ok: true, data: [standIn] });
        answer.total = 1;
        return answer;
      }
      const results = await accounts.search({
        text: query.q,
        id: query.uid || undefined,
        kind: 'user',
        visibleTo: actor,
        limit: page.limit,
        offset: page.offset,
      });
      const answer = reply.json({ ok: true, data: results.items.map((account) => accounts.toApiUser(account, actor)) });
      answer.total = results.total;
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
