import {
  bold,
  checkFields,
  Csrf,
  Forbidden,
  Joi,
  pageRoute,
  postRoute,
  Problem,
  TextField,
  webPage,
  type PageOptions,
  type Route,
  type RouteContext,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { t } from '../texts/index.js';
import { preferredLanguage } from '@mortise/accounts/api';
import type { FormCaptcha, Registrations, SignInAction } from '@mortise/sessions/api';
import type { NewPendingSignIn } from '../services/pending-sign-ins.js';
import { anyoneAccess, textField } from '../routes/active-sources.js';
import { pendingCookie, linkAction, makeFailedPage, type SignInDeps } from './sign-in.js';

interface LinkAccountProps {
  /** Name of the source. */
  readonly source: string;
  /** What the provider calls them; may be empty. */
  readonly userName: string;
  readonly signIn: { readonly name: string; readonly captcha: VNode | undefined } | undefined;
  readonly signUp: { readonly name: string; readonly email: string; readonly captcha: VNode | undefined } | undefined;
  readonly path: (path: string) => string;
}

const Card = ({ title, children }: { title: string; children: VNode }): VNode => (
  <section class="Box color-bg-subtle mb-3">
    <div class="Box-body">
      <h2 class="h4 mb-2">{title}</h2>
      {children}
    </div>
  </section>
);

const SignInCard = ({
  name,
  captcha,
  path,
}: {
  name: string;
  captcha: VNode | undefined;
  path: LinkAccountProps['path'];
}): VNode => (
  <Card title={t('link.existing')}>
    <form method="post" action={path('/user/link_account_signin')}>
      <Csrf />
      <p>{t('link.existingText')}</p>
      <TextField
        name="user_name"
        id="field-link-name"
        required
        autocapitalize="none"
        label={t('link.name')}
        value={name}
        autocomplete="username"
      />
      <TextField
        name="password"
        id="field-link-password"
        required
        type="password"
        label={t('link.password')}
        autocomplete="current-password"
      />
      {captcha}
      <button class="btn btn-primary btn-block" type="submit">
        {t('link.submit')}
      </button>
    </form>
  </Card>
);

const SignUpCard = ({
  name,
  email,
  captcha,
  path,
}: {
  name: string;
  email: string;
  captcha: VNode | undefined;
  path: LinkAccountProps['path'];
}): VNode => (
  <Card title={t('link.new')}>
    <form method="post" action={path('/user/link_account_signup')}>
      <Csrf />
      <TextField
        name="user_name"
        id="field-new-name"
        input="name"
        required
        autocapitalize="none"
        label={t('link.newName')}
        value={name}
        autocomplete="username"
        maxLength={40}
      />
      <TextField
        name="email"
        id="field-new-email"
        type="email"
        required
        autocapitalize="none"
        label={t('link.email')}
        value={email}
        autocomplete="email"
        maxLength={254}
      />
      {captcha}
      <button class="btn btn-primary btn-block" type="submit">
        {t('link.create')}
      </button>
    </form>
  </Card>
);

/** Somebody has come from a provider: which account is theirs? */
const LinkAccountPage = ({ source, userName, signIn, signUp, path }: LinkAccountProps): VNode => (
  <div class="mx-auto py-5 px-3 narrow-form">
    <h1 class="h3 text-center text-normal mb-3">{t('link.title')}</h1>
    <p class="wb-break-word">
      {userName
        ? t.rich('link.text', { source, person: userName, b: bold })
        : t.rich('link.textNameless', { source, b: bold })}
    </p>
    {signUp ? <SignUpCard {...signUp} path={path} /> : null}
    {signIn ? <SignInCard {...signIn} path={path} /> : null}
    {signIn || signUp ? null : <p>{t('link.noWay')}</p>}
  </div>
);

interface SignInFields {
  readonly user_name: string;
  readonly password: string;
}
interface SignUpFields {
  readonly user_name: string;
  readonly email: string;
}

interface Again {
  readonly signInName?: string;
  readonly signUp?: { readonly name: string; readonly email: string };
  readonly flash?: PageOptions['flash'];
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

type Deps = SignInDeps & { readonly formCaptcha: FormCaptcha; readonly registrations: Registrations };

/** What a captcha adds to a form. */
const captchaFields = ({ fields }: FormCaptcha) =>
  Joi.object(Object.fromEntries(fields.map((name) => [name, textField])));

/** Ties somebody of a provider to the account that has just shown all that it is asked for. */
export const linkingAction = ({
  provisioner,
  pendingSignIns,
  links,
}: Pick<SignInDeps, 'provisioner' | 'pendingSignIns' | 'links'>): SignInAction => ({
  key: linkAction,
  async run({ account }, token) {
    const pending = await pendingSignIns.find(token);
    if (!pending || !(await pendingSignIns.end(token))) throw Forbidden(t.later('error.tooLate'));
    await links.add(pending.source, account, pending.identity);
    await provisioner.refresh(pending.source, account, pending.identity);
  },
});

const failure = (error: unknown): Again => {
  if (!Problem.is(error)) throw error;
  const flash = { kind: 'error', text: error.text, fields: error.inputs } as const;
  return { flash, status: error.status, headers: error.headers };
};

/** What these routes share. */
function linkAccountContext(deps: Deps) {
  const { accounts, provisioner, activation, pendingSignIns, formCaptcha, links, registrations, signInFlow, site } =
    deps;
  const path = (to: string) => site.path(to);
  const failed = makeFailedPage(site);
  const tooLate = () => failed(t.later('error.tooLate'), 400);
  const mayLink = () => signInFlow.takesPasswords && provisioner.takesExisting;
  const page = async (context: RouteContext, { source, identity }: NewPendingSignIn, again: Again = {}) => {
    // somebody whose address is known here has an account already
    const known = identity.email !== '' && (await provisioner.isHeld(identity.email, identity));
    const flash = again.flash ?? (known ? ({ kind: 'info', text: t.later('link.known') } as const) : undefined);
    const signUp = registrations.isOpenToExternal
      ? (again.signUp ?? { name: identity.name, email: identity.email })
      : undefined;
    const newCaptcha = signUp && (await formCaptcha.part('external'));
    const signInCaptcha = mayLink() ? await formCaptcha.part('sign-in') : undefined;
    return webPage({
      title: t.later('link.title'),
      width: 'narrow',
      flash,
      status: again.status,
      headers: { 'cache-control': 'no-store', ...again.headers },
      contentSources: newCaptcha?.sources ?? signInCaptcha?.sources,
      body: (
        <LinkAccountPage
          source={source.name}
          userName={identity.name || identity.email}
          signIn={mayLink() ? { name: again.signInName ?? '', captcha: signInCaptcha?.node } : undefined}
          signUp={signUp && { ...signUp, captcha: newCaptcha?.node }}
          path={path}
        />
      ),
    });
  };
  return {
    pendingSignIns,
    page,
    tooLate,
    formCaptcha,
    mayLink,
    accounts,
    signInFlow,
    registrations,
    links,
    provisioner,
    activation,
    failed,
  };
}

type LinkAccountPageContext = ReturnType<typeof linkAccountContext>;

const linkAccountPage = ({ pendingSignIns, page, tooLate }: LinkAccountPageContext) =>
  pageRoute('/user/link_account', anyoneAccess, async (context) => {
    const pending = await pendingSignIns.find(context.cookies[pendingCookie]);
    return pending ? page(context, pending) : tooLate();
  });

const linkExistingAccount = ({
  formCaptcha,
  pendingSignIns,
  tooLate,
  mayLink,
  accounts,
  signInFlow,
  page,
}: LinkAccountPageContext) =>
  postRoute(
    '/user/link_account_signin',
    anyoneAccess,
    async (context) => {
      const token = context.cookies[pendingCookie];
      const pending = await pendingSignIns.find(token);
      if (!pending || !token) return tooLate();
      const { user_name: name, password } = context.payload;
      try {
        if (!mayLink()) throw Forbidden(t.later('error.noLinking'));
        await formCaptcha.check('sign-in', { ...context.payload });
        const account = await accounts.checkPassword(name, password, context.remoteAddress);
        if (!account) throw new Problem('unauthorized', t.later('error.credentials'));
        const answer = await signInFlow.begin(context, {
          account,
          remember: false,
          redirectTo: pending.redirectTo,
          by: 'password',
          sourceId: account.sourceId,
          action: { key: linkAction, data: token },
        });
        return answer.cookie(pendingCookie, null);
      } catch (error) {
        return page(context, pending, { signInName: name, ...failure(error) });
      }
    },
    {
      payload: Joi.object<SignInFields>({ user_name: textField, password: textField }).concat(
        captchaFields(formCaptcha),
      ),
    },
  );

const linkNewAccount = ({
  formCaptcha,
  pendingSignIns,
  tooLate,
  registrations,
  links,
  accounts,
  provisioner,
  signInFlow,
  activation,
  failed,
  page,
}: LinkAccountPageContext) =>
  postRoute(
    '/user/link_account_signup',
    anyoneAccess,
    async (context) => {
      const token = context.cookies[pendingCookie];
      const pending = await pendingSignIns.find(token);
      if (!pending || !token) return tooLate();
      const { source, identity, redirectTo } = pending;
      const signUp = { name: context.payload.user_name.trim(), email: context.payload.email.trim() };
      try {
        if (!registrations.isOpenToExternal) throw Forbidden(t.later('error.noRegistration'));
        if (await links.accountOf(source, identity)) return tooLate();
        await formCaptcha.check('external', { ...context.payload });
        await checkFields({
          name: () => accounts.checkNewName(signUp.name),
          email: () =>
            accounts.checkNewEmail(signUp.email, { isProvenLater: provisioner.provesEmail(signUp.email, identity) }),
        });
        const { account, waitsFor } = await provisioner.register(source, identity, signUp);
        await pendingSignIns.end(token);
        if (waitsFor === undefined) {
          const signIn = { account, remember: false, redirectTo, by: 'oauth2', sourceId: source.id };
          return (await signInFlow.begin(context, signIn)).cookie(pendingCookie, null);
        }
        if (waitsFor === 'administrator' || !(await activation.isAwaited(account)))
          return failed(t.later('activate.byAdmin'), 200);
        const isSent = await activation.send(account, context.remoteAddress, preferredLanguage(context));
        return isSent
          ? failed(t.later('activate.sent', { email: account.email }), 200)
          : failed(t.later('activate.sentBefore'), 429);
      } catch (error) {
        return page(context, pending, { signUp, ...failure(error) });
      }
    },
    {
      payload: Joi.object<SignUpFields>({ user_name: textField, email: textField }).concat(captchaFields(formCaptcha)),
    },
  );

/** `/user/link_account`: which account is theirs who have come from a provider, or a new one. */
export function linkAccountPages(deps: Deps): readonly Route[] {
  const context = linkAccountContext(deps);
  return [linkAccountPage(context), linkExistingAccount(context), linkNewAccount(context)];
}
