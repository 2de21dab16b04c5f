import {
  FormFrame,
  PostButton,
  defineRoute,
  Forbidden,
  Joi,
  Problem,
  refusedFlash,
  webPage,
  type Site,
  type Slot,
  type Flash,
  type Route,
  type Text,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { PrincipalAccounts } from '../services/principal-accounts.js';
import { t } from '../texts/index.js';
import type { SignInFlow } from '@mortise/sessions/api';
import type { Acceptor } from '../services/acceptor.js';
import { readPrincipal } from '../services/principal.js';
import { tokenOf } from '../services/token.js';

const signInPath = '/user/login/sspi';

/** The button on the sign-in page, and below what did not work. */
const Button = (props: { action: string; redirectTo: string; children: string }): VNode => (
  <PostButton action={props.action} fields={{ redirect_to: props.redirectTo }} class="btn btn-block mt-2">
    {props.children}
  </PostButton>
);

export const sspiLink = (principalAccounts: PrincipalAccounts, site: Site): Slot<{ redirectTo: string }> => ({
  key: 'sspi',
  async render({ redirectTo }) {
    if (!(await principalAccounts.isOffered())) return null;
    return <SignInButton key="sspi" redirectTo={redirectTo} site={site} />;
  },
});

const SignInButton = ({ redirectTo, site }: { redirectTo: string; site: Site }): VNode => (
  <Button action={site.path(signInPath)} redirectTo={redirectTo}>
    {t('link.submit')}
  </Button>
);

interface RefusedProps {
  readonly redirectTo: string;
  readonly site: Site;
}

/** Shown by browsers that have no ticket, or send none to this site. */
const Refused = ({ redirectTo, site }: RefusedProps): VNode => (
  <FormFrame title={t('refused.title')} below={<a href={site.path('/user/login')}>{t('refused.other')}</a>}>
    <p>{t('refused.text')}</p>
    <Button action={site.path(signInPath)} redirectTo={redirectTo}>
      {t('refused.again')}
    </Button>
  </FormFrame>
);

interface SignInDeps {
  readonly acceptor: Acceptor;
  readonly principalAccounts: PrincipalAccounts;
  readonly signInFlow: SignInFlow;
  readonly site: Site;
}

/** `/user/login/sspi`: from a ticket to a session, through all steps that others go as well. */
export const signInRoutes = ({ acceptor, principalAccounts, signInFlow, site }: SignInDeps): readonly Route[] => {
  const page = (
    redirectTo: string,
    { status, flash, headers }: { status: number; flash?: Flash; headers?: Readonly<Record<string, string>> },
  ) =>
    webPage({
      title: t.later('refused.title'),
      width: 'narrow',
      status,
      flash,
      headers,
      body: <Refused redirectTo={redirectTo} site={site} />,
    });
  const no = (text: Text) => Forbidden(text);
  return [
    defineRoute({
      method: 'POST',
      path: signInPath,
      // the form was made for a visitor: its token must not be compared with that of who the ticket is of
      access: { actor: 'anyone', always: true, ownCredentials: true },
      payload: { as: 'form' },
      request: {
        payload: Joi.object<{ readonly redirect_to: string }>({
          redirect_to: Joi.string().allow('').max(2000).default(''),
        }),
      },
      handler: async (context) => {
        const redirectTo = signInFlow.safeTarget(context.payload.redirect_to);
        const { authorization } = context.headers;
        if (!authorization && (await principalAccounts.isOffered()))
          return page(redirectTo, { status: 401, headers: { 'www-authenticate': 'Negotiate' } });
        try {
          const token = tokenOf(authorization ?? '');
          const accepted = token === undefined ? undefined : await acceptor.accept(token, context.remoteAddress);
          const principal = accepted && readPrincipal(accepted.principal);
          if (!principal) throw no(t.later('error.token'));
          const account = await principalAccounts.of(principal);
          if (!account) throw no(t.later('error.nobody'));
          const { sourceId } = account;
          const signIn = { account, remember: false, redirectTo, by: 'sspi', sourceId };
          const answer = await signInFlow.begin(context, signIn);
          return accepted.answer ? answer.header('www-authenticate', `Negotiate ${accepted.answer}`) : answer;
        } catch (error) {
          if (!Problem.is(error)) throw error;
          return page(redirectTo, {
            status: error.status,
            flash: refusedFlash(error),
            headers: error.headers,
          });
        }
      },
    }),
  ];
};
