import type { VNode } from 'preact';
import {
  Csrf,
  formatDate,
  PostButton,
  Section,
  pageRoute,
  Forbidden,
  formRoute,
  formStatus,
  webPage,
  type Flash,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { ResolvedInvitation, Invitation, InvitationService } from '../services/invitations.js';
import { t } from '../texts/index.js';
import type { Accounts } from '@mortise/accounts/api';
import { teamBase } from './components.js';

/** On the page of a team: who was invited and has not answered. */
export const Invitations = ({
  invitations,
  action,
}: {
  readonly invitations: readonly Invitation[];
  readonly action: string;
}): VNode | null =>
  invitations.length === 0 ? null : (
    <Section title={t('invitation.waiting')}>
      <ul class="Box list-style-none">
        {invitations.map(({ id, email, expiresAt }) => (
          <li key={id} class="Box-row d-flex flex-wrap flex-items-center gap-2">
            <div class="list-main wb-break-word">
              {email}
              <div class="f6 color-fg-muted">{t('invitation.until', { date: formatDate(expiresAt) })}</div>
            </div>
            <PostButton action={action} fields={{ iid: id }} label={t('invitation.revokeOf', { email })} danger>
              {t('invitation.revoke')}
            </PostButton>
          </li>
        ))}
      </ul>
    </Section>
  );

/** What a link from a mail leads to. */
const InvitationPage = ({
  invitation: { team, organization, inviter },
  action,
}: {
  readonly invitation: ResolvedInvitation;
  readonly action: string;
}): VNode => (
  <form method="post" action={action}>
    <h1 class="f2 mb-2">{t('invitation.title', { organization: organization.account.name })}</h1>
    <p>{t('invitation.page', { name: inviter.name, team: team.name, organization: organization.account.name })}</p>
    {organization.account.description ? <p class="color-fg-muted">{organization.account.description}</p> : null}
    <Csrf />
    <button class="btn btn-primary" type="submit">
      {t('invitation.accept')}
    </button>
  </form>
);

interface Services {
  readonly accounts: Accounts;
  readonly invitations: InvitationService;
  readonly site: Site;
}

/** `/org/invite/{token}`: the link in the mail to who was invited to a team. */
export function invitationPageRoutes({ accounts, invitations, site }: Services): readonly Route[] {
  const here = '/org/invite/{token}';
  const access = { actor: 'user' } as const;
  const path = (to: string) => site.path(to);
  const tokenOf = ({ params }: Pick<RouteContext, 'params'>) => (params as { readonly token: string }).token;

  const page = async (context: RouteContext, flash?: Flash) => {
    const invitation = await invitations.find(tokenOf(context));
    return webPage({
      title: t.later('invitation.title', { organization: invitation.organization.account.name }),
      width: 'narrow',
      flash,
      status: formStatus(flash),
      body: (
        <InvitationPage invitation={invitation} action={path(`/org/invite/${encodeURIComponent(tokenOf(context))}`)} />
      ),
    });
  };

  return [
    pageRoute(here, access, (context) => page(context)),
    formRoute(
      here,
      access,
      async (context) => {
        const account = await accounts.byId(context.actor.id);
        if (!account) throw Forbidden(t.later('error.notAPerson'));
        const { team, organization } = await invitations.accept(tokenOf(context), account);
        return teamBase(path, organization.account, team.name);
      },
      (context, _values, flash) => page(context, flash),
    ),
  ];
}
