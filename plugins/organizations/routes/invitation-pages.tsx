import {
  defineRoute,
  Forbidden,
  formRoute,
  formStatus,
  webPage,
  type Flash,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import { InvitationPage } from '../pages/invitations.js';
import { teamBase } from '../pages/components.js';
import type { InvitationService } from '../services/invitations.js';
import { t } from '../texts/index.js';

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
        <InvitationPage
          invitation={invitation}
          action={path(`/org/invite/${encodeURIComponent(tokenOf(context))}`)}
          csrf={context.csrf}
        />
      ),
    });
  };

  return [
    defineRoute({ method: 'GET', path: here, surface: 'page', access, handler: (context) => page(context) }),
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
