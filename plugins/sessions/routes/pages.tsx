import {
  checkFields,
  defineRoute,
  Forbidden,
  Invalid,
  Joi,
  type PageOptions,
  type PointReader,
  Problem,
  reply,
  type Reply,
  type Route,
  type RouteContext,
  type Site,
  type Text,
  webPage,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { Sessions, SignInStep, SignOutStep } from '../api.js';
import { NewPasswordForm, RegisterForm, SignInForm } from '../pages/forms.js';
import type { PendingSignIn } from '../services/pending.js';
import type { Registration } from '../services/registration.js';
import { t } from '../texts/index.js';

export interface PageParts {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly site: Site;
  readonly pending: PendingSignIn;
  readonly registration: Registration;
  readonly steps: PointReader<SignInStep>;
  readonly outSteps: PointReader<SignOutStep>;
  readonly links: {
    list(): readonly { render(props: { redirectTo: string; csrf: string }): VNode | null | Promise<VNode | null> }[];
  };
}

const pendingCookie = 'mortise_pending';
const word = Joi.string().allow('').default('');
type Flash = PageOptions['flash'];

function checkSame(password: string, again: string): void {
  if (password !== again) throw Invalid(t.later('error.passwordMismatch'));
}

/** Only addresses of this site: an attacker's link must not lead elsewhere after signing in. */
export function safeTarget(given: unknown): string {
  const text = typeof given === 'string' ? given : '';
  return /^\/(?![/\\])[^\\\x00-\x20\x7f]*$/.test(text) && !text.startsWith('/user/log') ? text : '';
}

export interface RegistrationFields {
  readonly user_name: string;
  readonly email: string;
  readonly password: string;
  readonly retype: string;
}

export interface PasswordFields {
  readonly password: string;
  readonly retype: string;
  readonly redirect_to: string;
}

export interface SignInFields {
  readonly user_name: string;
  readonly password: string;
  readonly remember: boolean;
  readonly redirect_to: string;
}

/** Registering, signing in and out. */
export const sessionPages = ({
  accounts,
  sessions,
  site,
  pending,
  registration,
  steps,
  outSteps,
  links,
}: PageParts): readonly Route[] => {
  const path = (to: string) => site.path(to);
  const open = { actor: 'anyone', always: true } as const;
  const home = (redirectTo: string) => redirectTo || path('/');

  const signInPage = async (
    { csrf, query }: RouteContext<unknown, unknown, { readonly redirect_to?: unknown }>,
    given: { name?: string; redirectTo?: string } = {},
    flash?: Flash,
    { status, headers }: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
  ) => {
    const redirectTo = given.redirectTo ?? safeTarget(query.redirect_to);
    const more = await Promise.all(links.list().map((link) => link.render({ redirectTo, csrf })));
    return webPage({
      title: t.later('signIn.title'),
      width: 'narrow',
      flash,
      status,
      headers,
      body: (
        <SignInForm
          csrf={csrf}
          path={path}
          redirectTo={redirectTo}
          name={given.name ?? ''}
          canRegister={registration.isShown}
          links={more.filter((node): node is VNode => node !== null)}
        />
      ),
    });
  };
  const begin = (context: RouteContext, userId: number, remember: boolean, answer: Reply) =>
    sessions.signIn(
      { userId, remember, userAgent: context.headers['user-agent'] ?? '', remoteAddress: context.remoteAddress },
      answer,
    );

  const registerPage = async (
    context: RouteContext,
    given: { name?: string; email?: string } = {},
    flash?: Flash,
    status?: number,
  ) =>
    webPage({
      title: t.later('register.title'),
      width: 'narrow',
      flash,
      status,
      body: (
        <RegisterForm
          csrf={context.csrf}
          path={path}
          redirectTo=""
          name={given.name ?? ''}
          email={given.email ?? ''}
          isFirst={(await accounts.count()) === 0}
        />
      ),
    });
  const passwordPage = ({ csrf }: RouteContext, redirectTo: string, flash?: Flash, status?: number) =>
    webPage({
      title: t.later('newPassword.title'),
      width: 'narrow',
      flash,
      status,
      body: <NewPasswordForm csrf={csrf} path={path} redirectTo={redirectTo} />,
    });

  return [
    defineRoute({
      method: 'GET',
      path: '/user/login',
      access: open,
      handler: (context) =>
        context.actor.kind === 'user'
          ? reply.redirect(home(safeTarget(context.query.redirect_to)))
          : signInPage(context),
    }),
    defineRoute({
      method: 'POST',
      path: '/user/login',
      access: open,
      payload: { as: 'form' },
      request: {
        payload: Joi.object<SignInFields>({
          user_name: word,
          password: word,
          remember: Joi.boolean().default(false),
          redirect_to: word,
        }),
      },
      handler: async (context) => {
        const { user_name: name, password, remember, redirect_to } = context.payload;
        const redirectTo = safeTarget(redirect_to);
        const again = (text: Text, status: number, headers?: Readonly<Record<string, string>>) =>
          signInPage(context, { name, redirectTo }, { kind: 'error', text }, { status, headers });
        let account: Account | undefined;
        try {
          account = await accounts.checkPassword(name, password, context.remoteAddress);
        } catch (error) {
          if (!Problem.is(error) || error.code !== 'too_many') throw error;
          return again(error.text, error.status, error.headers);
        }
        if (!account) return again(t.later('error.credentials'), 401);
        const refusal = accounts.refusal({ ...account, mustChangePassword: false });
        if (refusal) return again(refusal, 403);
        for (const step of steps.list()) {
          const instead = await step.next({ account, remember, redirectTo });
          if (instead) return instead;
        }
        if (account.mustChangePassword) {
          const next = path(
            `/user/settings/change_password${redirectTo ? `?redirect_to=${encodeURIComponent(redirectTo)}` : ''}`,
          );
          return reply
            .redirect(next)
            .cookie(pendingCookie, await pending.make(account.id, remember), { httpOnly: true, maxAge: 600 });
        }
        return begin(context, account.id, remember, reply.redirect(home(redirectTo)));
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/user/logout',
      access: open,
      payload: { as: 'form' },
      async handler({ actor }) {
        const home = await sessions.signOut(actor, reply.redirect(path('/')));
        for (const step of outSteps.list()) {
          const elsewhere = await step.next({ actor });
          if (!elsewhere) continue;
          elsewhere.cookies.push(...home.cookies);
          return elsewhere;
        }
        return home;
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/user/settings/change_password',
      access: open,
      handler: async (context) =>
        (await pending.read(context.cookies[pendingCookie]))
          ? passwordPage(context, safeTarget(context.query.redirect_to))
          : reply.redirect(path(context.actor.kind === 'user' ? '/user/settings/account' : '/user/login')),
    }),
    defineRoute({
      method: 'POST',
      path: '/user/settings/change_password',
      access: open,
      payload: { as: 'form' },
      request: { payload: Joi.object<PasswordFields>({ password: word, retype: word, redirect_to: word }) },
      handler: async (context) => {
        const { payload } = context;
        const redirectTo = safeTarget(payload.redirect_to);
        const proof = await pending.read(context.cookies[pendingCookie]);
        const account = proof && (await accounts.byId(proof.userId));
        if (!account?.mustChangePassword || accounts.refusal({ ...account, mustChangePassword: false }))
          return reply.redirect(path('/user/login')).cookie(pendingCookie, null);
        try {
          await checkFields({
            async password() {
              accounts.checkNewPassword(payload.password);
              if (await accounts.checkPassword(account.name, payload.password))
                throw Invalid(t.later('error.passwordSame'));
            },
            retype: () => checkSame(payload.password, payload.retype),
          });
          await accounts.update(account.id, { password: payload.password, mustChangePassword: false });
        } catch (error) {
          if (!Problem.is(error)) throw error;
          return passwordPage(
            context,
            redirectTo,
            { kind: 'error', text: error.text, fields: error.inputs },
            error.status,
          );
        }
        return begin(
          context,
          account.id,
          proof!.remember,
          reply.redirect(home(redirectTo)).cookie(pendingCookie, null),
        );
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/user/sign_up',
      access: open,
      handler: (context) => {
        if (context.actor.kind === 'user') return reply.redirect(path('/'));
        if (!registration.isOpen) throw Forbidden(t.later('error.closed'));
        return registerPage(context);
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/user/sign_up',
      access: open,
      payload: { as: 'form' },
      request: {
        payload: Joi.object<RegistrationFields>({ user_name: word, email: word, password: word, retype: word }),
      },
      handler: async (context) => {
        const { user_name: name, email, password, retype } = context.payload;
        try {
          if (!registration.isOpen) throw Forbidden(t.later('error.closed'));
          await checkFields({
            name: () => accounts.checkNewName(name),
            async email() {
              registration.checkDomain(email);
              await accounts.checkNewEmail(email);
            },
            password: () => accounts.checkNewPassword(password),
            retype: () => checkSame(password, retype),
          });
          const account = await registration.register({ name, email, password });
          if (!account.isActive)
            return signInPage(context, { name }, { kind: 'info', text: t.later('register.awaitsActivation') });
          return await begin(context, account.id, false, reply.redirect(path('/')));
        } catch (error) {
          if (!Problem.is(error)) throw error;
          return registerPage(
            context,
            { name, email },
            { kind: 'error', text: error.text, fields: error.inputs },
            error.status,
          );
        }
      },
    }),
  ];
};
