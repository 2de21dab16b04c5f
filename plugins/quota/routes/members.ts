import { defineRoute, Joi, NotFound, reply, type Route } from '@mortise/plugin-sdk';
import { anyUserResource, userSchema, type Account, type Accounts } from '@mortise/accounts/api';
import type { Groups } from '../services/groups.js';
import { toApiQuota } from '../services/presenter.js';
import type { QuotaLimit } from '../services/quota-limit.js';
import { administer } from './access.js';
import { quotaSchema, userGroups } from './models.js';

interface Services {
  readonly accounts: Accounts;
  readonly groups: Groups;
  readonly quotaLimit: QuotaLimit;
}

/** Who is in which group, for administrators (Forgejo: `/admin/quota/groups/{quotagroup}/users`, `/admin/users/{username}/quota`). */
export function memberRoutes({ accounts, groups, quotaLimit }: Services): readonly Route[] {
  const users = '/api/v1/admin/quota/groups/{quotagroup}/users';
  const ofUser = { ...administer, access: { ...administer.access, resource: anyUserResource } } as const;
  /** A person or an organization. */
  const accountOf = async (name: string): Promise<Account> => {
    const account = await accounts.byName(name);
    if (!account) throw NotFound('user');
    return account;
  };
  return [
    defineRoute({
      ...administer,
      method: 'GET',
      path: users,
      id: 'adminListUsersInQuotaGroup',
      summary: 'People and organizations in a group',
      responses: { 200: Joi.array().items(userSchema).label('UserList') },
      async handler({ actor, page, params }) {
        const { ids, total } = await groups.userIds(params.quotagroup, page);
        const byId = await accounts.byIds(ids);
        return reply.list(
          ids.flatMap((id) => byId.get(id) ?? []).map((account) => accounts.toApiUser(account, actor)),
          total,
        );
      },
    }),
    defineRoute({
      ...administer,
      method: 'PUT',
      path: `${users}/{username}`,
      id: 'adminAddUserToQuotaGroup',
      summary: 'Add a person or an organization to a group',
      responses: { 204: null },
      async handler({ params }) {
        await groups.addUser(params.quotagroup, await accountOf(params.username));
        return reply.none();
      },
    }),
    defineRoute({
      ...administer,
      method: 'DELETE',
      path: `${users}/{username}`,
      id: 'adminRemoveUserFromQuotaGroup',
      summary: 'Remove a person or an organization from a group',
      responses: { 204: null },
      async handler({ params }) {
        await groups.removeUser(params.quotagroup, await accountOf(params.username));
        return reply.none();
      },
    }),
    defineRoute({
      ...ofUser,
      method: 'GET',
      path: '/api/v1/admin/users/{username}/quota',
      id: 'adminGetUserQuota',
      summary: 'What an account stores, and what holds for it',
      responses: { 200: quotaSchema },
      handler: async ({ resource }) => toApiQuota(await quotaLimit.of(resource.id), { isAdmin: true }),
    }),
    defineRoute({
      ...ofUser,
      method: 'POST',
      path: '/api/v1/admin/users/{username}/quota/groups',
      id: 'adminSetUserQuotaGroups',
      summary: 'Set the groups of an account',
      request: { payload: userGroups },
      responses: { 204: null },
      async handler({ resource, payload }) {
        await groups.setGroups(resource, payload.groups);
        return reply.none();
      },
    }),
  ];
}
