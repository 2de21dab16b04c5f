import { defineRoute, Forbidden, Joi, NotFound, reply, type Page, type Route } from '@mortise/plugin-sdk';
import {
  anyUserResource,
  emailSchema,
  publicKeySchema,
  type Accounts,
  type Emails,
  type PublicKeys,
  type ShowKey,
} from '@mortise/accounts/api';

interface Services {
  readonly accounts: Accounts;
  readonly emails: Emails;
  readonly publicKeys: PublicKeys;
  readonly showKey: ShowKey;
}

interface AdminCreatePublicKeyPayload {
  readonly title: string;
  readonly key: string;
  readonly read_only?: boolean | null;
}

/** Addresses (ADM-11) and SSH keys of accounts, for administrators. */
export const emailAndKeyRoutes = ({ accounts, emails, publicKeys, showKey }: Services): readonly Route[] => {
  const access = { actor: 'admin', scope: 'admin' } as const;
  const list = async (text: string | undefined, page: Page) => {
    const results = await emails.search({ text, limit: page.limit, offset: page.offset });
    const owners = await accounts.byIds(results.items.map((entry) => entry.userId));
    return reply.list(
      results.items.map((entry) => ({
        email: entry.email,
        verified: entry.isVerified,
        primary: entry.isPrimary,
        user_id: entry.userId,
        username: owners.get(entry.userId)?.name ?? '',
      })),
      results.total,
    );
  };
  const responses = { 200: Joi.array().items(emailSchema) };
  return [
    defineRoute({
      method: 'GET',
      path: '/api/v1/admin/emails',
      id: 'adminGetAllEmails',
      tags: ['admin'],
      summary: 'Email addresses of all accounts',
      access,
      responses,
      handler: ({ page }) => list(undefined, page),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/v1/admin/emails/search',
      id: 'adminSearchEmails',
      tags: ['admin'],
      summary: 'Search email addresses',
      access,
      request: { query: Joi.object<{ readonly q?: string }>({ q: Joi.string().allow('') }) },
      responses,
      handler: ({ query, page }) => list(query.q, page),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/v1/admin/users/{username}/keys',
      id: 'adminCreatePublicKey',
      tags: ['admin'],
      summary: 'Add an SSH key to an account',
      access: { ...access, resource: anyUserResource },
      request: {
        payload: Joi.object<AdminCreatePublicKeyPayload>({
          title: Joi.string().required(),
          key: Joi.string().required(),
          read_only: Joi.boolean().allow(null),
        }).label('CreateKeyOption'),
      },
      responses: { 201: publicKeySchema },
      handler: async ({ actor, resource, payload }) => {
        const key = await publicKeys.add(resource.id, {
          title: payload.title,
          key: payload.key,
          readOnly: payload.read_only ?? false,
        });
        return reply.created(showKey(key, resource, actor));
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/v1/admin/users/{username}/keys/{id}',
      id: 'adminDeleteUserPublicKey',
      tags: ['admin'],
      summary: 'Delete an SSH key of an account',
      access: { ...access, resource: anyUserResource },
      request: {
        params: Joi.object<{ readonly username: string; readonly id: number }>({
          username: Joi.string().required(),
          id: Joi.number().integer().required(),
        }),
      },
      responses: { 204: null },
      handler: async ({ resource, params }) => {
        const key = await publicKeys.byId(params.id);
        if (!key) throw NotFound('key');
        if (key.userId !== resource.id) throw Forbidden('The key belongs to another account.');
        await publicKeys.remove(key.id);
      },
    }),
  ];
};
