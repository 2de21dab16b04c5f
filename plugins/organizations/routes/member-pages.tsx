import {
  defineRoute,
  formRoute,
  formStatus,
  Forbidden,
  NotFound,
  reply,
  savedFlash,
  type Flash,
  type Route,
  type RouteContext,
  type Site,
  formId,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import { organizationResource, type OrganizationContext, type OrganizationPages } from '../api.js';
import { Members } from '../pages/members.js';
import { organizationBase, userViewOf } from '../pages/components.js';
import type { OrganizationService } from '../services/organizations.js';
import { t } from '../texts/index.js';

interface Services {
  readonly accounts: Accounts;
  readonly organizations: OrganizationService;
  readonly pages: OrganizationPages;
  readonly site: Site;
}

/** `/org/{org}/members`: who belongs to an organization. */
export function memberPageRoutes({ accounts, organizations, pages, site }: Services): readonly Route[] {
  type Context = RouteContext<OrganizationContext>;
  const path = (to: string) => site.path(to);
  const read = { actor: 'anyone', resource: organizationResource } as const;
  const signedIn = { actor: 'user', resource: organizationResource } as const;
  const here = '/org/{org}/members';

  const page = async (context: Context, flash?: Flash) => {
    const { actor, resource, csrf } = context;
    const { page: number, limit, offset } = context.page;
    const shownTo = resource.isMember ? undefined : actor;
    const { items, total } = await organizations.members(resource.account.id, { shownTo, limit, offset });
    return pages.page(context, 'members', {
      title: t.later('members.title'),
      flash,
      status: formStatus(flash),
      body: (
        <Members
          organization={resource}
          members={items.map((member) => ({ ...member, ...userViewOf(accounts)(member.account) }))}
          total={total}
          page={number}
          limit={limit}
          viewerId={actor.id}
          csrf={csrf}
          path={path}
        />
      ),
    });
  };
  const action = (
    name: string,
    run: (context: Context, userId: number) => Promise<unknown>,
    back = ({ account }: OrganizationContext) => `${organizationBase(path, account)}/members?saved=1`,
  ): Route =>
    formRoute(
      `${here}/action/${name}`,
      signedIn,
      async (context, values) => {
        await run(context, formId(values, 'uid'));
        return back(context.resource);
      },
      (context, _values, flash) => page(context, flash),
    );
  /** ORG-18: one's own membership, and as an owner those of others. */
  const show =
    (isPublic: boolean) =>
    async ({ actor, resource }: Context, userId: number) => {
      if (userId !== actor.id && !resource.isOwner) throw Forbidden(t.later('error.ownersOnly'));
      await organizations.setPublic(resource.account.id, userId, isPublic);
    };

  return [
    defineRoute({
      method: 'GET',
      path: here,
      surface: 'page',
      access: read,
      handler: (context) => page(context, savedFlash(context.query as object)),
    }),
    action('public', show(true)),
    action('private', show(false)),
    action('remove', async ({ resource }, userId) => {
      if (!resource.isOwner) throw Forbidden(t.later('error.ownersOnly'));
      if (!(await accounts.byId(userId))) throw NotFound('user');
      await organizations.removeMember(resource.account.id, userId);
    }),
    action(
      'leave',
      ({ actor, resource }) => organizations.removeMember(resource.account.id, actor.id),
      // Who has left may not see it any more.
      () => path('/user/settings/organization?saved=1'),
    ),
    // Where people know the dashboard of an organization.
    defineRoute({
      method: 'GET',
      path: '/org/{org}/dashboard',
      surface: 'page',
      access: read,
      handler: ({ resource }) => reply.redirect(path(`/${resource.account.name}?tab=activity`), 303),
    }),
  ];
}
