import {
  Joi,
  pageRoute,
  postRoute,
  Problem,
  reply,
  webPage,
  type PageOptions,
  type PointReader,
  type Route,
  type RouteContext,
  type Site,
  type Text,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { FormCaptcha, Sessions, SignInFlow } from '../api.js';
import type { SignOutStep } from '../contract/sessions.js';
import { SignInForm } from './forms.js';
import type { Activation } from '../services/activation.js';
import type { Recovery } from '../services/recovery.js';
import type { Registration } from '../services/registration.js';
import { t } from '../texts/index.js';

export interface SignInDeps {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly signInFlow: SignInFlow;
  readonly site: Site;
  readonly registration: Registration;
  readonly activation: Activation;
  readonly formCaptcha: FormCaptcha;
  readonly recovery: Recovery;
}

/** What the pages read of the points. */
export interface SignInExtras {
  readonly outSteps: PointReader<SignOutStep>;
  readonly links: {
    list(): readonly { render(props: { redirectTo: string }): VNode | null | Promise<VNode | null> }[];
  };
  /** `[service] ENABLE_PASSWORD_SIGNIN_FORM` */
  readonly hasForm: boolean;
}

/** Where nobody need be signed in, whatever the settings say. */
export const open = { actor: 'anyone', always: true } as const;
/** A field of a form that is checked by hand, so that the form can be shown again. */
export const textField = Joi.string().allow('').default('');

/** What a captcha adds to a form. */
export const captchaFields = ({ fields }: FormCaptcha) =>
  Joi.object(Object.fromEntries(fields.map((name) => [name, textField])));

interface SignInFields {
  readonly user_name: string;
  readonly password: string;
  readonly remember: boolean;
  readonly redirect_to: string;
}

/** How a sign-in page that is shown again differs from a fresh one. */
interface Again {
  readonly name?: string;
  readonly redirectTo?: string;
  readonly flash?: PageOptions['flash'];
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

type SignInPage = (
  context: Pick<RouteContext<unknown, unknown, { readonly redirect_to?: unknown }>, 'query'>,
  again?: Again,
) => ReturnType<typeof webPage> | Promise<ReturnType<typeof webPage>>;

/** Makes the sign-in page, also for who comes there from elsewhere. */
export const makeSignInPage =
  (
    {
      formCaptcha,
      recovery,
      registration,
      signInFlow,
      site,
    }: Pick<SignInDeps, 'formCaptcha' | 'recovery' | 'registration' | 'signInFlow' | 'site'>,
    { links, hasForm }: Pick<SignInExtras, 'links' | 'hasForm'>,
  ): SignInPage =>
  async ({ query }, { name = '', redirectTo, flash, status, headers } = {}) => {
    const target = redirectTo ?? signInFlow.safeTarget(query.redirect_to);
    const more = await Promise.all(links.list().map((link) => link.render({ redirectTo: target })));
    const captcha = hasForm ? await formCaptcha.part('sign-in') : undefined;
    return webPage({
      title: t.later('signIn.title'),
      width: 'narrow',
      flash,
      status,
      headers,
      contentSources: captcha?.sources,
      body: (
        <SignInForm
          captcha={captcha?.node}
          path={(to) => site.path(to)}
          redirectTo={target}
          name={name}
          hasForm={hasForm}
          canRegister={registration.isShown}
          canRecover={recovery.isOffered}
          links={more.filter((node): node is VNode => node !== null)}
        />
      ),
    });
  };

/** Signing in with a password, and signing out. */
export const signInPages =
  (extras: SignInExtras) =>
  (deps: SignInDeps): readonly Route[] => {
    const { accounts, activation, formCaptcha, sessions, signInFlow, site } = deps;
    const signInPage = makeSignInPage(deps, extras);
    return [
      pageRoute('/user/login', open, (context) =>
        // `again`: who is signed in has to show once more who they are
        context.actor.kind === 'user' && context.query.again !== 'true'
          ? reply.redirect(signInFlow.safeTarget(context.query.redirect_to) || site.path('/'))
          : signInPage(context),
      ),
      postRoute(
        '/user/login',
        open,
        async (context) => {
          const { user_name: name, password, remember, redirect_to } = context.payload;
          const redirectTo = signInFlow.safeTarget(redirect_to);
          const again = (text: Text, status: number, { headers, inputs }: Partial<Problem> = {}) =>
            signInPage(context, { name, redirectTo, flash: { kind: 'error', text, fields: inputs }, status, headers });
          if (!extras.hasForm) return again(t.later('error.noPasswordForm'), 403);
          try {
            await formCaptcha.check('sign-in', { ...context.payload });
            const account: Account | undefined = await accounts.checkPassword(name, password, context.remoteAddress);
            if (!account) return await again(t.later('error.credentials'), 401);
            if (await activation.isAwaited(account)) return reply.redirect(site.path('/user/activate'));
            const signIn = { account, remember, redirectTo, by: 'password', sourceId: account.sourceId };
            return await signInFlow.begin(context, signIn);
          } catch (error) {
            if (!Problem.is(error)) throw error;
            return again(error.text, error.status, error);
          }
        },
        {
          payload: Joi.object<SignInFields>({
            user_name: textField,
            password: textField,
            remember: Joi.boolean().default(false),
            redirect_to: textField,
          }).concat(captchaFields(formCaptcha)),
        },
      ),
      postRoute('/user/logout', open, async ({ actor }) => {
        const sourceSession = await sessions.sourceSession(actor);
        const home = await sessions.signOut(actor, reply.redirect(site.path('/')));
        for (const step of extras.outSteps.list()) {
          const elsewhere = await step.next({ actor, ...(sourceSession && { sourceSession }) });
          if (!elsewhere) continue;
          elsewhere.cookies.push(...home.cookies);
          return elsewhere;
        }
        return home;
      }),
    ];
  };
