import type { VNode } from 'preact';
import {
  Blankslate,
  formatNumber,
  lastPage,
  Pager,
  PostButton,
  Section,
  pageRoute,
  formRoute,
  formStatus,
  Forbidden,
  NotFound,
  reply,
  savedFlash,
  formId,
  type Flash,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import { organizationResource, type OrganizationContext, type OrganizationPages } from '../api.js';
import type { OrganizationMember } from '../contract/organizations.js';
import { organizationBase, UserRow, userViewOf, type PathOf, type UserView } from './components.js';
import { t } from '../texts/index.js';
import type { Accounts } from '@mortise/accounts/api';
import type { OrganizationService } from '../services/organizations.js';

interface MembersProps {
  readonly organization: OrganizationContext;
  readonly members: readonly (OrganizationMember & UserView)[];
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  /** Of who looks. */
  readonly viewerId: number;
  readonly path: PathOf;
}

/** Who belongs to the organization; others see who is shown in public. */
const Members = (props: MembersProps): VNode => {
  const { organization, members, total, page, limit, path } = props;
  const base = organizationBase(path, organization.account);
  return (
    <Section
      title={
        <>
          {t('members.title')} <span class="Counter">{formatNumber(total)}</span>
        </>
      }
    >
      {organization.isOwner ? <p class="color-fg-muted">{t('members.ownersNote')}</p> : null}
      {total === 0 ? (
        <Blankslate title={t('home.noPeople')} icon="people" level={3} />
      ) : (
        <ul class="Box list-style-none">
          {members.map((member) => (
            <MemberRow key={member.account.id} {...props} member={member} base={base} />
          ))}
        </ul>
      )}
      <Pager page={page} last={lastPage(total, limit)} href={(to) => `?page=${to}`} />
    </Section>
  );
};

interface MemberRowProps extends Pick<MembersProps, 'organization' | 'viewerId' | 'path'> {
  readonly member: OrganizationMember & UserView;
  readonly base: string;
}

function MemberRow({ organization, member, viewerId, path, base }: MemberRowProps): VNode {
  const { account, isOwner, isPublic } = member;
  const { name } = account;
  const isOwn = account.id === viewerId;
  const act = (action: string) => `${base}/members/action/${action}`;
  const fields = { uid: account.id };
  return (
    <UserRow
      {...member}
      path={path}
      marks={
        <>
          {isOwner ? <span class="Label Label--accent mr-1">{t('members.owner')}</span> : null}
          {organization.isMember ? (
            <span class="Label">{t(isPublic ? 'members.public' : 'members.hidden')}</span>
          ) : null}
        </>
      }
    >
      {isOwn || organization.isOwner ? (
        <PostButton
          action={act(isPublic ? 'private' : 'public')}
          fields={fields}
          label={t(isPublic ? 'members.hideOf' : 'members.showOf', { name })}
        >
          {t(isPublic ? 'members.hide' : 'members.show')}
        </PostButton>
      ) : null}
      {isOwn && organization.isMember ? (
        <PostButton
          action={act('leave')}
          confirm={t('members.leaveConfirm', { name: organization.account.name })}
          danger
        >
          {t('members.leave')}
        </PostButton>
      ) : organization.isOwner ? (
        <PostButton
          action={act('remove')}
          fields={fields}
          label={t('members.removeOf', { name })}
          confirm={t('members.removeConfirm', { name })}
          danger
        >
          {t('members.remove')}
        </PostButton>
      ) : null}
    </UserRow>
  );
}

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
    const { actor, resource } = context;
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
    pageRoute(here, read, (context) => page(context, savedFlash(context.query as object))),
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
    pageRoute('/org/{org}/dashboard', read, ({ resource }) =>
      reply.redirect(path(`/${resource.account.name}?tab=activity`), 303),
    ),
  ];
}
