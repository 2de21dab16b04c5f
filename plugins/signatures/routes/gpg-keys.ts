import { defineRoute, Joi, NotFound, reply, type Route } from '@mortise/plugin-sdk';
import { listedUserResource, userResource, type AccountFeatures, type Emails } from '@mortise/accounts/api';
import type { GpgKeys } from '../contract/signatures.js';
import { keyRing } from '../services/key-ring.js';
import { toApiGpgKey } from '../services/api-gpg-key.js';

interface Services {
  readonly accountFeatures: AccountFeatures;
  readonly emails: Emails;
  readonly gpgKeys: GpgKeys;
}

const emailSchema = Joi.object({ email: Joi.string().required(), verified: Joi.boolean().required() }).label(
  'GPGKeyEmail',
);
const fields = {
  id: Joi.number().integer().required(),
  primary_key_id: Joi.string().allow('').required(),
  key_id: Joi.string().required(),
  public_key: Joi.string().required(),
  emails: Joi.array().items(emailSchema).allow(null).required(),
  can_sign: Joi.boolean().required(),
  can_encrypt_comms: Joi.boolean().required(),
  can_encrypt_storage: Joi.boolean().required(),
  can_certify: Joi.boolean().required(),
  verified: Joi.boolean().required(),
  created_at: Joi.string().isoDate().required(),
  expires_at: Joi.string().isoDate().required(),
};
const subkeySchema = Joi.object({ ...fields, subkeys: Joi.valid(null).required() }).label('GPGSubkey');
const keySchema = Joi.object({ ...fields, subkeys: Joi.array().items(subkeySchema).required() }).label('GPGKey');

const armored = Joi.string().max(1 << 20);

interface UserCurrentPostGPGKeyPayload {
  readonly armored_public_key: string;
  readonly armored_signature?: string | null;
}

const own = { actor: 'user', scope: 'user', noPublicOnly: true } as const;

const byId = {
  request: { params: Joi.object<{ readonly id: number }>({ id: Joi.number().integer().min(1).required() }) },
  tags: ['user'],
};

/** What these routes share. */
function gpgKeyContext({ accountFeatures, emails, gpgKeys }: Services) {
  const mayChange = (userId: number) => accountFeatures.check(userId, 'manage_gpg_keys');
  /** Keys of others are as good as not there. */
  const findKey = async (id: number, userId: number) => {
    const key = await gpgKeys.byId(id);
    if (key?.userId !== userId) throw NotFound('key');
    return key;
  };
  const listOf = async (userId: number, page: { limit: number; offset: number }) => {
    const keys = await gpgKeys.list({ userId, ...page });
    const addresses = keys.items.length ? await emails.list(userId) : [];
    return reply.list(
      keys.items.map((key) => toApiGpgKey(key, addresses)),
      keys.total,
    );
  };
  return { listOf, mayChange, gpgKeys, emails, found: findKey };
}

type GpgKeyRouteContext = ReturnType<typeof gpgKeyContext>;

const userCurrentListGPGKeys = ({ listOf }: GpgKeyRouteContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/user/gpg_keys',
    id: 'userCurrentListGPGKeys',
    tags: ['user'],
    summary: 'GPG keys of the signed-in account',
    access: own,
    responses: { 200: Joi.array().items(keySchema) },
    handler: ({ actor, page }) => listOf(actor.id, page),
  });

const userCurrentPostGPGKey = ({ mayChange, gpgKeys, emails }: GpgKeyRouteContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/user/gpg_keys',
    id: 'userCurrentPostGPGKey',
    tags: ['user'],
    summary: 'Add a GPG key',
    access: own,
    request: {
      payload: Joi.object<UserCurrentPostGPGKeyPayload>({
        armored_public_key: armored.required(),
        armored_signature: armored.allow('', null),
      }).label('CreateGPGKeyOption'),
    },
    responses: { 201: keySchema },
    handler: async ({ actor, payload }) => {
      await mayChange(actor.id);
      const [key] = await gpgKeys.add(actor.id, payload.armored_public_key, payload.armored_signature || undefined);
      return reply.created(toApiGpgKey(key!, await emails.list(actor.id)));
    },
  });

const userCurrentGetGPGKey = ({ found, emails }: GpgKeyRouteContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/user/gpg_keys/{id}',
    id: 'userCurrentGetGPGKey',
    summary: 'A GPG key',
    access: own,
    ...byId,
    responses: { 200: keySchema },
    handler: async ({ actor, params }) => toApiGpgKey(await found(params.id, actor.id), await emails.list(actor.id)),
  });

const userCurrentDeleteGPGKey = ({ mayChange, gpgKeys }: GpgKeyRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: '/api/v1/user/gpg_keys/{id}',
    id: 'userCurrentDeleteGPGKey',
    summary: 'Delete a GPG key',
    access: own,
    ...byId,
    responses: { 204: null },
    // What is not there, or not one's own, needs no deleting.
    handler: async ({ actor, params }) => {
      await mayChange(actor.id);
      const key = await gpgKeys.byId(params.id);
      if (key?.userId === actor.id) await gpgKeys.remove(key.id);
    },
  });

const getVerificationToken = ({ gpgKeys }: GpgKeyRouteContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/user/gpg_key_token',
    id: 'getVerificationToken',
    tags: ['user'],
    summary: 'A text to sign, to prove that a key is yours',
    access: own,
    responses: { 200: Joi.string().label('VerificationToken') },
    handler: ({ actor }) => reply.text(gpgKeys.token(actor.id)),
  });

const userVerifyGPGKey = ({ mayChange, gpgKeys, emails }: GpgKeyRouteContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/user/gpg_key_verify',
    id: 'userVerifyGPGKey',
    tags: ['user'],
    summary: 'Prove that a GPG key is yours',
    access: own,
    request: {
      payload: Joi.object<{ readonly key_id: string; readonly armored_signature: string }>({
        key_id: Joi.string().max(64).required(),
        armored_signature: armored.required(),
      }).label('VerifyGPGKeyOption'),
    },
    responses: { 200: keySchema },
    handler: async ({ actor, payload }) => {
      await mayChange(actor.id);
      const key = await gpgKeys.prove(actor.id, payload.key_id, payload.armored_signature);
      return toApiGpgKey(key, await emails.list(actor.id));
    },
  });

const userListGPGKeys = ({ listOf }: GpgKeyRouteContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/users/{username}/gpg_keys',
    id: 'userListGPGKeys',
    tags: ['user'],
    summary: 'GPG keys of an account',
    access: { actor: 'user', scope: 'user', resource: listedUserResource },
    responses: { 200: Joi.array().items(keySchema) },
    handler: ({ resource, page }) => listOf(resource.id, page),
  });

const userGpgKeys = ({ gpgKeys }: GpgKeyRouteContext) =>
  defineRoute({
    method: 'GET',
    path: '/{username}.gpg',
    surface: 'protocol',
    access: { actor: 'anyone', resource: userResource },
    handler: async ({ resource }) => {
      const { items } = await gpgKeys.list({ userId: resource.id, limit: 1000, offset: 0 });
      return reply.text(await keyRing(items.map((key) => key.armored)));
    },
  });

/** GPG keys of accounts (account-gpg-keys). */
export function gpgKeyRoutes(deps: Services): readonly Route[] {
  const context = gpgKeyContext(deps);
  return [
    userCurrentListGPGKeys(context),
    userCurrentPostGPGKey(context),
    userCurrentGetGPGKey(context),
    userCurrentDeleteGPGKey(context),
    getVerificationToken(context),
    userVerifyGPGKey(context),
    userListGPGKeys(context),
    userGpgKeys(context),
  ];
}
