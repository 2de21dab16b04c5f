import {
  bold,
  checkFields,
  Csrf,
  FormFrame,
  Joi,
  pageRoute,
  postRoute,
  Problem,
  TextField,
  webPage,
  type PageOptions,
  type Route,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { t } from '../texts/index.js';
import { NewPasswordFields, type FormProps } from './forms.js';
import { preferredLanguage } from '@mortise/accounts/api';
import { checkSame } from './new-password.js';
import { makeSignInPage, open, textField, type SignInExtras, type SignInDeps } from './sign-in.js';

const ForgotPasswordForm = ({
  path,
  email,
  sent,
}: FormProps & { readonly email: string; readonly sent: boolean }): VNode => (
  <FormFrame title={t('forgot.title')} below={<a href={path('/user/login')}>{t('forgot.back')}</a>}>
    {sent ? (
      <p class="mb-0 wb-break-word" role="status">
        {t.rich('forgot.sent', { email, b: bold })}
      </p>
    ) : (
      <form method="post" action={path('/user/forgot_password')}>
        <Csrf />
        <p>{t('forgot.text')}</p>
        <TextField
          name="email"
          type="email"
          required
          autocapitalize="none"
          maxLength={254}
          label={t('register.email')}
          value={email}
          autocomplete="email"
          autofocus
        />
        <button class="btn btn-primary btn-block" type="submit">
          {t('forgot.submit')}
        </button>
      </form>
    )}
  </FormFrame>
);

const RecoverForm = ({
  path,
  code,
  name,
}: FormProps & {
  readonly code: string;
  /** Undefined: the code is worth nothing. */
  readonly name: string | undefined;
}): VNode =>
  name === undefined ? (
    <FormFrame title={t('recover.title')}>
      <p>{t('link.void')}</p>
      <a class="btn btn-block" href={path('/user/forgot_password')}>
        {t('recover.again')}
      </a>
    </FormFrame>
  ) : (
    <FormFrame title={t('recover.title')}>
      <form method="post" action={path('/user/recover_account')}>
        <Csrf />
        <input type="hidden" name="code" value={code} />
        <p class="wb-break-word">{t.rich('recover.text', { name, b: bold })}</p>
        <NewPasswordFields />
        <button class="btn btn-primary btn-block" type="submit">
          {t('newPassword.submit')}
        </button>
      </form>
    </FormFrame>
  );

interface EmailField {
  readonly email: string;
}
export interface CodeField {
  readonly code: string;
}
interface RecoverFields extends CodeField {
  readonly password: string;
  readonly retype: string;
}

type Flash = PageOptions['flash'];

/** A new password for who has forgotten theirs. What is asked for afterwards, such as a second factor, stays. */
export const recoveryPages =
  (extras: SignInExtras) =>
  (deps: SignInDeps): readonly Route[] => {
    const { accounts, recovery, site } = deps;
    if (!recovery.isOffered) return [];
    const path = (to: string) => site.path(to);
    const signInPage = makeSignInPage(deps, extras);
    const forgotPage = ({
      email = '',
      sent = false,
      flash,
      status,
    }: { email?: string; sent?: boolean; flash?: Flash; status?: number } = {}) =>
      webPage({
        title: t.later('forgot.title'),
        width: 'narrow',
        flash,
        status,
        body: <ForgotPasswordForm path={path} email={email} sent={sent} />,
      });
    const recoverPage = (code: string, name?: string, flash?: Flash, status?: number) =>
      webPage({
        title: t.later('recover.title'),
        width: 'narrow',
        flash,
        status: status ?? (name === undefined ? 410 : 200),
        body: <RecoverForm path={path} code={code} name={name} />,
      });
    return [
      pageRoute('/user/forgot_password', open, () => forgotPage()),
      postRoute(
        '/user/forgot_password',
        open,
        async (context) => {
          const email = context.payload.email.trim().slice(0, 254);
          if (await recovery.request(email, context.remoteAddress, preferredLanguage(context)))
            return forgotPage({ email, sent: true });
          return forgotPage({ email, flash: { kind: 'error', text: t.later('error.mailMany') }, status: 429 });
        },
        { payload: Joi.object<EmailField>({ email: textField }) },
      ),
      pageRoute(
        '/user/recover_account',
        open,
        async (context) => recoverPage(context.query.code, (await recovery.find(context.query.code))?.name),
        { query: Joi.object<CodeField>({ code: textField }).unknown() as Joi.ObjectSchema<CodeField> },
      ),
      postRoute(
        '/user/recover_account',
        open,
        async (context) => {
          const { code, password, retype } = context.payload;
          const account = await recovery.find(code);
          if (!account) return recoverPage(code);
          try {
            await checkFields({
              password: () => accounts.checkNewPassword(password),
              retype: () => checkSame(password, retype),
            });
            if (!(await recovery.reset(account, code, password))) return recoverPage(code);
          } catch (error) {
            if (!Problem.is(error)) throw error;
            const flash = { kind: 'error', text: error.text, fields: error.inputs } as const;
            return recoverPage(code, account.name, flash, error.status);
          }
          return signInPage(context, {
            name: account.name,
            redirectTo: '',
            flash: { kind: 'success', text: t.later('recover.done') },
          });
        },
        { payload: Joi.object<RecoverFields>({ code: textField, password: textField, retype: textField }) },
      ),
    ];
  };
