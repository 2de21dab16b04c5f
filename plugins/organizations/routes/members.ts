import { defineRoute, Forbidden, Joi, NotFound, reply, type Actor, type Route } from '@mortise/plugin-sdk';
import type { Account, AccountBlocks } from '@mortise/accounts/api';
import { organizationResource, type OrganizationContext } from '../api.js';
import { api, organizationPath, tags, userList, type RouteServices } from './route-options.js';
import { t } from '../texts/index.js';

type MemberRouteDeps = Pick<RouteServices, 'accounts' | 'memberships' | 'organizations'> & {
  readonly blocks: AccountBlocks;
};

const read = { actor: 'anyone', scope: 'organization', resource: organizationResource } as const;

// GEN-06: hidden organizations are missing here before anybody is asked to sign in, as their repositories are
const signedIn = { ...read, actor: 'user', signInFirst: false } as const;

const owner = { ...read, actor: 'user', mode: 'owner' } as const;

/** What these routes share. */
function memberContext({ accounts, memberships, organizations, blocks }: MemberRouteDeps) {
  const show = (found: readonly Account[], total: number, actor: Actor) =>
    reply.list(
      found.map((account) => accounts.toApiUser(account, actor)),
      total,
    );
  const membershipOf = async (userId: number, { account }: OrganizationContext) =>
    (await memberships.of(userId)).get(account.id);
  const list = (id: string, path: string, summary: string, isPublic: boolean): Route =>
    defineRoute({
      method: 'GET',
      path: `${organizationPath}/${path}`,
      id,
      tags,
      summary,
      access: isPublic ? read : signedIn,
      responses: { 200: userList },
      async handler({ actor, resource, page }) {
        const members = await organizations.members(resource.account.id, {
          shownTo: isPublic || !resource.isMember || actor.publicOnly ? actor : undefined,
          ...page,
        });
        return show(
          members.items.map((member) => member.account),
          members.total,
          actor,
        );
      },
    });
  const named = async (name: string) => {
    const account = await accounts.byName(name);
    if (!account) throw NotFound('user');
    return account;
  };
  /** ORG-18, ERR-06: one's own membership, and as an owner those of others. */
  const setPublic = (method: 'PUT' | 'DELETE', id: string, summary: string): Route =>
    defineRoute({
      method,
      path: `${organizationPath}/public_members/{username}`,
      id,
      tags,
      summary,
      access: signedIn,
      responses: { 204: null },
      async handler({ actor, resource, params }) {
        const account = await named(params.username);
        const isPublic = method === 'PUT';
        if (account.id !== actor.id && !resource.isOwner)
          throw Forbidden(t.later(isPublic ? 'error.publicize' : 'error.conceal'));
        await organizations.setPublic(resource.account.id, account.id, isPublic);
        return reply.none();
      },
    });
  return { list, named, membershipOf, organizations, memberships, setPublic, blocks, show, accounts };
}

type MemberRouteContext = ReturnType<typeof memberContext>;

const orgIsMember = ({ named, membershipOf }: MemberRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${organizationPath}/members/{username}`,
    id: 'orgIsMember',
    tags,
    summary: 'Is the user a member?',
    access: signedIn,
    responses: { 204: null, 303: null },
    async handler({ actor, resource, params }) {
      const account = await named(params.username);
      // who sees only what is public is told only that
      if ((!resource.isMember && account.id !== actor.id) || actor.publicOnly)
        return reply.redirect(
          `${api}/orgs/${encodeURIComponent(resource.account.name)}/public_members/${encodeURIComponent(account.name)}`,
          303,
        );
      if (!(await membershipOf(account.id, resource))) throw NotFound('member');
      return reply.none();
    },
  });

const orgDeleteMember = ({ organizations, named }: MemberRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: `${organizationPath}/members/{username}`,
    id: 'orgDeleteMember',
    tags,
    summary: 'Remove a member from the organization and all its teams',
    access: { ...signedIn, mode: 'owner' },
    responses: { 204: null },
    async handler({ resource, params }) {
      await organizations.removeMember(resource.account.id, (await named(params.username)).id);
      return reply.none();
    },
  });

const orgIsPublicMember = ({ named, membershipOf, memberships }: MemberRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${organizationPath}/public_members/{username}`,
    id: 'orgIsPublicMember',
    tags,
    summary: 'Is the user a member who is shown in public?',
    access: read,
    responses: { 204: null },
    async handler({ actor, resource, params }) {
      const account = await named(params.username);
      const isShown =
        (await membershipOf(account.id, resource))?.isPublic && (await memberships.mayView(actor, account));
      if (!isShown) throw NotFound('member');
      return reply.none();
    },
  });

const organizationListBlocks = ({ blocks, show }: MemberRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${organizationPath}/blocks`,
    id: 'organizationListBlocks',
    tags,
    summary: 'Users that the organization blocks',
    access: owner,
    responses: { 200: userList },
    async handler({ actor, resource, page }) {
      const { items, total } = await blocks.list(resource.account.id, page);
      return show(items, total, actor);
    },
  });

const organizationCheckUserBlock = ({ accounts, named }: MemberRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${organizationPath}/blocks/{username}`,
    id: 'organizationCheckUserBlock',
    tags,
    summary: 'Does the organization block the user?',
    access: owner,
    responses: { 204: null },
    async handler({ resource, params }) {
      if (!(await accounts.blocks(resource.account.id, (await named(params.username)).id))) throw NotFound('block');
      return reply.none();
    },
  });

const organizationBlockUser = ({ blocks, named }: MemberRouteContext) =>
  defineRoute({
    method: 'PUT',
    path: `${organizationPath}/blocks/{username}`,
    id: 'organizationBlockUser',
    tags,
    summary: 'Block a user',
    access: owner,
    request: { query: Joi.object<{ readonly note?: string }>({ note: Joi.string().allow('').max(255) }) },
    responses: { 204: null, 400: null },
    async handler({ resource, params, query }) {
      await blocks.block(resource.account.id, await named(params.username), query.note ?? '');
      return reply.none();
    },
  });

const organizationUnblockUser = ({ blocks, named }: MemberRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: `${organizationPath}/blocks/{username}`,
    id: 'organizationUnblockUser',
    tags,
    summary: 'Unblock a user',
    access: owner,
    responses: { 204: null, 400: null },
    async handler({ resource, params }) {
      await blocks.unblock(resource.account.id, (await named(params.username)).id);
      return reply.none();
    },
  });

/** Who belongs to an organization, who is shown in public, and whom it blocks. */
export function memberRoutes(deps: MemberRouteDeps): Route[] {
  const context = memberContext(deps);
  const { list, setPublic } = context;
  return [
    list('orgListMembers', 'members', 'Members of an organization; for others those who are shown in public', false),
    list('orgListPublicMembers', 'public_members', 'Members who are shown in public', true),
    orgIsMember(context),
    orgDeleteMember(context),
    orgIsPublicMember(context),
    setPublic('PUT', 'orgPublicizeMember', 'Show a membership in public'),
    setPublic('DELETE', 'orgConcealMember', 'Hide a membership'),
    organizationListBlocks(context),
    organizationCheckUserBlock(context),
    organizationBlockUser(context),
    organizationUnblockUser(context),
  ];
}
