import { defineRoute, Forbidden, Joi, NotFound, reply, type Route } from '@mortise/plugin-sdk';
import {
  listedUserResource,
  publicKeySchema,
  type AccountFeatures,
  type Accounts,
  type PublicKeys,
  type ShowKey,
} from '../api.js';
import { idParams } from './own-account.js';
import { t } from '../texts/index.js';

const fingerprintQuery = Joi.object<{ readonly fingerprint?: string }>({ fingerprint: Joi.string().allow('') });

interface UserCurrentPostKeyPayload {
  readonly title: string;
  readonly key: string;
  readonly read_only?: boolean | null;
}

type KeyRouteDeps = {
  accounts: Accounts;
  features: AccountFeatures;
  publicKeys: PublicKeys;
  showKey: ShowKey;
};

const own = { actor: 'user', scope: 'user', noPublicOnly: true } as const;

/** What these routes share. */
function keyContext({ accounts, features, publicKeys, showKey: show }: KeyRouteDeps) {
  const findKey = async (id: number) => {
    const key = await publicKeys.byId(id);
    if (!key) throw NotFound('key');
    return key;
  };
  return { publicKeys, accounts, show, features, found: findKey };
}

type KeyRouteContext = ReturnType<typeof keyContext>;

const userCurrentListKeys = ({ publicKeys, accounts, show }: KeyRouteContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/user/keys',
    id: 'userCurrentListKeys',
    tags: ['user'],
    summary: 'SSH keys of the signed-in account',
    access: own,
    request: { query: fingerprintQuery },
    responses: { 200: Joi.array().items(publicKeySchema) },
    handler: async ({ actor, query, page }) => {
      const keys = await publicKeys.list({ userId: actor.id, fingerprint: query.fingerprint, ...page });
      const owner = await accounts.byId(actor.id);
      return reply.list(
        keys.items.map((key) => show(key, owner, actor)),
        keys.total,
      );
    },
  });

const userCurrentPostKey = ({ features, publicKeys, show, accounts }: KeyRouteContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/user/keys',
    id: 'userCurrentPostKey',
    tags: ['user'],
    summary: 'Add an SSH key',
    access: own,
    request: {
      payload: Joi.object<UserCurrentPostKeyPayload>({
        title: Joi.string().required(),
        key: Joi.string().required(),
        read_only: Joi.boolean().allow(null),
      }).label('CreateKeyOption'),
    },
    responses: { 201: publicKeySchema },
    handler: async ({ actor, payload }) => {
      await features.check(actor.id, 'manage_ssh_keys');
      const key = await publicKeys.add(actor.id, {
        title: payload.title,
        key: payload.key,
        readOnly: payload.read_only ?? false,
      });
      return reply.created(show(key, await accounts.byId(actor.id), actor));
    },
  });

const userCurrentGetKey = ({ found, show, accounts }: KeyRouteContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/user/keys/{id}',
    id: 'userCurrentGetKey',
    tags: ['user'],
    summary: 'An SSH key',
    access: own,
    request: { params: idParams },
    responses: { 200: publicKeySchema },
    handler: async ({ actor, params }) => {
      const key = await found(params.id);
      return show(key, await accounts.byId(key.userId), actor);
    },
  });

const userCurrentDeleteKey = ({ found, features, publicKeys }: KeyRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: '/api/v1/user/keys/{id}',
    id: 'userCurrentDeleteKey',
    tags: ['user'],
    summary: 'Delete an SSH key',
    access: own,
    request: { params: idParams },
    responses: { 204: null },
    handler: async ({ actor, params }) => {
      const key = await found(params.id);
      if (key.userId !== actor.id && !actor.isAdmin) throw Forbidden(t.later('error.keyOther'));
      if (key.userId === actor.id) await features.check(actor.id, 'manage_ssh_keys');
      await publicKeys.remove(key.id);
    },
  });

const userListKeys = ({ publicKeys, show }: KeyRouteContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/users/{username}/keys',
    id: 'userListKeys',
    tags: ['user'],
    summary: 'SSH keys of an account',
    access: { actor: 'user', scope: 'user', resource: listedUserResource },
    request: { query: fingerprintQuery },
    responses: { 200: Joi.array().items(publicKeySchema) },
    handler: async ({ actor, resource, query, page }) => {
      const keys = await publicKeys.list({ userId: resource.id, fingerprint: query.fingerprint, ...page });
      return reply.list(
        keys.items.map((key) => show(key, resource, actor)),
        keys.total,
      );
    },
  });

/** SSH keys (ACC-03, account-ssh-keys, user-keys). */
export function keyRoutes(deps: KeyRouteDeps): readonly Route[] {
  const context = keyContext(deps);
  return [
    userCurrentListKeys(context),
    userCurrentPostKey(context),
    userCurrentGetKey(context),
    userCurrentDeleteKey(context),
    userListKeys(context),
  ];
}
