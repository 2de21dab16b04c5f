import { FormFrame, PostButton, type Site, type Slot } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { PrincipalAccounts } from '../services/principal-accounts.js';
import { t } from '../texts/index.js';

export const signInPath = '/user/login/sspi';

/** The button on the sign-in page, and below what did not work. */
const Button = (props: { action: string; csrf: string; redirectTo: string; children: string }): VNode => (
  <PostButton
    action={props.action}
    csrf={props.csrf}
    fields={{ redirect_to: props.redirectTo }}
    class="btn btn-block mt-2"
  >
    {props.children}
  </PostButton>
);

export const sspiLink = (
  principalAccounts: PrincipalAccounts,
  site: Site,
): Slot<{ redirectTo: string; csrf: string }> => ({
  key: 'sspi',
  async render({ redirectTo, csrf }) {
    if (!(await principalAccounts.isOffered())) return null;
    return <SignInButton key="sspi" redirectTo={redirectTo} csrf={csrf} site={site} />;
  },
});

const SignInButton = ({ redirectTo, csrf, site }: { redirectTo: string; csrf: string; site: Site }): VNode => (
  <Button action={site.path(signInPath)} csrf={csrf} redirectTo={redirectTo}>
    {t('link.submit')}
  </Button>
);

interface RefusedProps {
  readonly redirectTo: string;
  readonly csrf: string;
  readonly site: Site;
}

/** Shown by browsers that have no ticket, or send none to this site. */
export const Refused = ({ redirectTo, csrf, site }: RefusedProps): VNode => (
  <FormFrame title={t('refused.title')} below={<a href={site.path('/user/login')}>{t('refused.other')}</a>}>
    <p>{t('refused.text')}</p>
    <Button action={site.path(signInPath)} csrf={csrf} redirectTo={redirectTo}>
      {t('refused.again')}
    </Button>
  </FormFrame>
);
