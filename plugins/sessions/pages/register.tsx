import {
  checkFields,
  Forbidden,
  Joi,
  pageRoute,
  postRoute,
  Problem,
  reply,
  webPage,
  type PageOptions,
  type RawQuery,
  type Route,
  type RouteContext,
} from '@mortise/plugin-sdk';
import { preferredLanguage } from '@mortise/accounts/api';
import { RegisterForm } from './forms.js';
import { t } from '../texts/index.js';
import { checkSame } from './new-password.js';
import { captchaFields, makeSignInPage, open, type SignInExtras, type SignInDeps, textField } from './sign-in.js';

interface RegistrationFields {
  readonly user_name: string;
  readonly email: string;
  readonly password: string;
  readonly retype: string;
  readonly redirect_to: string;
}

/** Creating an account of one's own. */
export const registerPages =
  (extras: SignInExtras) =>
  (deps: SignInDeps): readonly Route[] => {
    const { accounts, activation, formCaptcha, registration, signInFlow, site } = deps;
    const signInPage = makeSignInPage(deps, extras);
    const page = async (
      context: Pick<RouteContext, 'query'>,
      given: { name?: string; email?: string; redirectTo?: string } = {},
      flash?: PageOptions['flash'],
      status?: number,
    ) => {
      const captcha = await formCaptcha.part('register');
      return webPage({
        title: t.later('register.title'),
        width: 'narrow',
        flash,
        status,
        contentSources: captcha?.sources,
        body: (
          <RegisterForm
            captcha={captcha?.node}
            path={(to) => site.path(to)}
            name={given.name ?? ''}
            email={given.email ?? ''}
            redirectTo={given.redirectTo ?? signInFlow.safeTarget((context.query as RawQuery).redirect_to)}
            isFirst={(await accounts.count()) === 0}
          />
        ),
      });
    };
    return [
      pageRoute('/user/sign_up', open, (context) => {
        if (context.actor.kind === 'user') return reply.redirect(site.path('/'));
        if (!registration.isOpen) throw Forbidden(t.later('error.closed'));
        return page(context);
      }),
      postRoute(
        '/user/sign_up',
        open,
        async (context) => {
          const { user_name: name, email, password, retype } = context.payload;
          const redirectTo = signInFlow.safeTarget(context.payload.redirect_to);
          try {
            if (!registration.isOpen) throw Forbidden(t.later('error.closed'));
            await formCaptcha.check('register', { ...context.payload });
            await checkFields({
              name: () => accounts.checkNewName(name),
              async email() {
                registration.checkDomain(email);
                await accounts.checkNewEmail(email, { isProvenLater: registration.waits });
              },
              password: () => accounts.checkNewPassword(password),
              retype: () => checkSame(password, retype),
            });
            const account = await registration.register({
              name,
              email,
              password,
              language: preferredLanguage(context),
              client: context.remoteAddress,
            });
            if (!account.isActive) {
              const text = (await activation.isAwaited(account))
                ? t.later('activate.sent', { email: account.email })
                : t.later('register.awaitsActivation');
              return await signInPage(context, { name, redirectTo, flash: { kind: 'info', text } });
            }
            return await signInFlow.begin(context, { account, remember: false, redirectTo, by: 'password' });
          } catch (error) {
            if (!Problem.is(error)) throw error;
            return page(
              context,
              { name, email, redirectTo },
              { kind: 'error', text: error.text, fields: error.inputs },
              error.status,
            );
          }
        },
        {
          payload: Joi.object<RegistrationFields>({
            user_name: textField,
            email: textField,
            password: textField,
            retype: textField,
            redirect_to: textField,
          }).concat(captchaFields(formCaptcha)),
        },
      ),
    ];
  };
