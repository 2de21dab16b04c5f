import { tokenForm } from '../services/methods.js';
import {
  defineRoute,
  Forbidden,
  Joi,
  NotFound,
  reply,
  Unauthorized,
  type Actor,
  type Route,
  apiTime,
  timeOf,
} from '@mortise/plugin-sdk';
import { userResource, type Account, type Accounts } from '@mortise/accounts/api';
import type { AccessToken, AccessTokens } from '../contract/auth-token.js';

const tokenSchema = Joi.object({
  id: Joi.number().integer(),
  name: Joi.string(),
  sha1: Joi.string().allow(''),
  token_last_eight: Joi.string(),
  scopes: Joi.array().items(Joi.string()),
  created_at: Joi.string().isoDate(),
  last_used_at: Joi.string().isoDate(),
  expires_at: Joi.string().isoDate(),
}).label('AccessToken');

interface NewToken {
  readonly name: string;
  readonly scopes?: readonly string[] | null;
  readonly expires_at?: string | null;
}

const newTokenSchema = Joi.object<NewToken>({
  name: Joi.string().required(),
  scopes: Joi.array().items(Joi.string().allow('')).allow(null),
  expires_at: Joi.string().allow('', null).description('When it ends (RFC 3339). Default: never.'),
}).label('CreateAccessTokenOption');

const currentTokenSchema = Joi.object({
  id: Joi.number().integer().required(),
  name: Joi.string().required(),
  scopes: Joi.array().items(Joi.string()).required(),
  created_at: Joi.string().isoDate().required(),
  last_used_at: Joi.string().isoDate().required(),
  expires_at: Joi.string().isoDate(),
  user: Joi.object({ id: Joi.number().integer().required(), login: Joi.string().allow('').required() })
    .required()
    .label('UserMeta'),
}).label('CurrentAccessToken');

/** Tokens without an end have none, as in compatible services. */
const expiry = ({ expiresAt }: AccessToken) => (expiresAt === 0 ? {} : { expires_at: apiTime(expiresAt) });

/** TOK-01: the secret is in the creation answer only. */
const toApiToken = (token: AccessToken, secret = '') => ({
  id: token.id,
  name: token.name,
  sha1: secret,
  token_last_eight: token.lastEight,
  scopes: token.scopes,
  created_at: apiTime(token.createdAt),
  last_used_at: apiTime(token.lastUsedAt),
  ...expiry(token),
});

/** For the account itself and administrators; and by password or basic, not by a bare token (TOK-04, TOK-06, TOK-29). */
function checkCaller(actor: Actor, account: Account): void {
  if (actor.id !== account.id && !actor.isAdmin) throw Forbidden('You cannot access the tokens of another user.');
  const byBasic = actor.method === 'basic' || actor.method === 'reverse-proxy' || tokenForm.of(actor) === 'basic';
  if (!byBasic) throw Unauthorized('This requires your username and password.');
  if (account.kind !== 'user') throw NotFound('user');
}

/** `/users/{username}/tokens` and the token in use. */
export const tokenRoutes = ({
  accessTokens,
  accounts,
}: {
  accessTokens: AccessTokens;
  accounts: Accounts;
}): readonly Route[] => {
  const access = { actor: 'anyone', scope: 'user', resource: userResource } as const;
  const current = async (actor: Actor) => {
    const token =
      actor.method === 'token' && actor.credentialId ? await accessTokens.byId(actor.credentialId) : undefined;
    if (!token) throw NotFound('token');
    return token;
  };
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/users/{username}/tokens',
      id: 'userGetTokens',
      tags: ['user'],
      summary: 'Access tokens of an account',
      access,
      responses: { 200: Joi.array().items(tokenSchema) },
      handler: async ({ actor, resource, page }) => {
        checkCaller(actor, resource);
        const tokens = await accessTokens.list(resource.id, page);
        return reply.list(
          tokens.items.map((token) => toApiToken(token)),
          tokens.total,
        );
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/users/{username}/tokens',
      id: 'userCreateToken',
      tags: ['user'],
      summary: 'Create an access token',
      access,
      request: { payload: newTokenSchema },
      responses: { 201: tokenSchema },
      handler: async ({ actor, resource, payload }) => {
        checkCaller(actor, resource);
        const made = await accessTokens.create({
          userId: resource.id,
          name: payload.name,
          scopes: payload.scopes ?? [],
          creator: actor,
          expiresAt: timeOf(payload.expires_at, 'expires_at'),
        });
        return reply.created(toApiToken(made.token, made.secret));
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/v1/users/{username}/tokens/{token}',
      id: 'userDeleteAccessToken',
      tags: ['user'],
      summary: 'Delete an access token by number or name',
      access,
      responses: { 204: null },
      handler: async ({ actor, resource, params }) => {
        checkCaller(actor, resource);
        await accessTokens.remove(resource.id, params.token);
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/token',
      id: 'getCurrentToken',
      tags: ['miscellaneous'],
      summary: 'The token in use',
      access: { actor: 'user' },
      responses: { 200: currentTokenSchema, 404: null },
      handler: async ({ actor }) => {
        const token = await current(actor);
        const owner = await accounts.byId(token.userId);
        const { id, name, scopes, created_at, last_used_at } = toApiToken(token);
        const user = { id: token.userId, login: owner?.name ?? '' };
        return { id, name, scopes, created_at, last_used_at, ...expiry(token), user };
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/v1/token',
      id: 'deleteCurrentToken',
      tags: ['miscellaneous'],
      summary: 'Delete the token in use',
      access: { actor: 'user' },
      responses: { 204: null },
      handler: async ({ actor }) => {
        const token = await current(actor);
        await accessTokens.remove(token.userId, token.id);
      },
    }),
  ];
};
