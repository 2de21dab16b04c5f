import { defineRoute, Joi, NotFound, reply, type Actor, type Route } from '@mortise/plugin-sdk';
import { anyUserResource, listedUserResource, type Account } from '@mortise/accounts/api';
import type { OrganizationService } from '../services/organizations.js';
import { api, organizationList, type RouteServices } from './route-options.js';

const permissions = Joi.object({
  is_owner: Joi.boolean().required(),
  is_admin: Joi.boolean().required(),
  can_write: Joi.boolean().required(),
  can_read: Joi.boolean().required(),
  can_create_repository: Joi.boolean().required(),
}).label('OrganizationPermissions');

/** The organizations of accounts, and what they may do there. */
export function userRoutes({
  accounts,
  memberships,
  organizations,
}: Pick<RouteServices, 'accounts' | 'memberships'> & { readonly organizations: OrganizationService }): Route[] {
  const scope = ['user', 'organization'] as const;
  const listed = async (account: Account, actor: Actor, page: { limit: number; offset: number }) => {
    const { items, total } = await organizations.ofUser(account.id, actor, page);
    return reply.list(
      items.map((organization) => organizations.toApi(organization, actor)),
      total,
    );
  };

  return [
    defineRoute({
      method: 'GET',
      path: `${api}/user/orgs`,
      id: 'orgListCurrentUserOrgs',
      tags: ['organization'],
      summary: 'Organizations that you belong to',
      access: { actor: 'user', scope },
      responses: { 200: organizationList },
      async handler({ actor, page }) {
        const account = await accounts.byId(actor.id);
        if (!account) throw NotFound('user');
        return listed(account, actor, page);
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${api}/users/{username}/orgs`,
      id: 'orgListUserOrgs',
      tags: ['organization'],
      summary: 'Organizations that an account belongs to, as far as you may know',
      access: { actor: 'user', scope, resource: listedUserResource },
      responses: { 200: organizationList },
      handler: ({ actor, resource, page }) => listed(resource, actor, page),
    }),
    defineRoute({
      method: 'GET',
      path: `${api}/users/{username}/orgs/{org}/permissions`,
      id: 'orgGetUserPermissions',
      tags: ['organization'],
      summary: 'What an account may do in an organization',
      access: { actor: 'user', scope, resource: anyUserResource },
      responses: { 200: permissions },
      async handler({ actor, resource, params }) {
        const organization = await organizations.byName(params.org);
        const isHidden =
          !organization ||
          !(await memberships.mayView(actor, organization.account)) ||
          // TOK-21
          (actor.publicOnly && organization.account.visibility !== 'public');
        if (isHidden) throw NotFound('organization');
        const rights = await organizations.rights(resource.id, organization.account.id);
        return {
          is_owner: rights.isOwner,
          is_admin: rights.isAdmin,
          can_write: rights.canWrite,
          can_read: rights.canRead,
          can_create_repository: rights.canCreateRepository,
        };
      },
    }),
  ];
}
