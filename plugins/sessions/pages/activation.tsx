import {
  bold,
  Csrf,
  FormFrame,
  Joi,
  pageRoute,
  postRoute,
  Problem,
  reply,
  TextField,
  webPage,
  type PageOptions,
  type Route,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { t } from '../texts/index.js';
import type { FormProps } from './forms.js';
import { preferredLanguage } from '@mortise/accounts/api';
import type { CodeField } from './recovery.js';
import { open, textField, type SignInDeps } from './sign-in.js';

const Password = ({ autofocus }: { readonly autofocus?: boolean }): VNode => (
  <TextField
    required
    name="password"
    label={t('signIn.password')}
    type="password"
    autocomplete="current-password"
    autofocus={autofocus}
  />
);

const ActivateForm = ({
  path,
  code,
  name,
}: FormProps & {
  readonly code: string;
  /** Undefined: the code is worth nothing. */
  readonly name: string | undefined;
}): VNode =>
  name === undefined ? (
    <FormFrame title={t('activate.title')}>
      <p>{t('link.void')}</p>
      <a class="btn btn-block" href={path('/user/activate')}>
        {t('activate.resend')}
      </a>
    </FormFrame>
  ) : (
    <FormFrame title={t('activate.title')}>
      <form method="post" action={path('/user/activate')}>
        <Csrf />
        <input type="hidden" name="code" value={code} />
        <p class="wb-break-word">{t.rich('activate.text', { name, b: bold })}</p>
        <Password autofocus />
        <button class="btn btn-primary btn-block" type="submit">
          {t('activate.submit')}
        </button>
      </form>
    </FormFrame>
  );

/** For who has not got the mail. */
const ResendForm = ({ path, name }: FormProps & { readonly name: string }): VNode => (
  <FormFrame title={t('activate.title')} below={<a href={path('/user/login')}>{t('forgot.back')}</a>}>
    <form method="post" action={path('/user/activate/resend')}>
      <Csrf />
      <p>{t('activate.resendText')}</p>
      <TextField
        name="user_name"
        required
        autocapitalize="none"
        label={t('signIn.name')}
        value={name}
        autocomplete="username"
      />
      <Password />
      <button class="btn btn-primary btn-block" type="submit">
        {t('activate.resend')}
      </button>
    </form>
  </FormFrame>
);

interface ActivateFields extends CodeField {
  readonly password: string;
}
interface ResendFields {
  readonly user_name: string;
  readonly password: string;
}

type Flash = PageOptions['flash'];
interface Answer {
  readonly flash?: Flash;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The link in the mail that activates an account: with its password, so that a mail that went astray opens nothing. */
export const activationPages = ({ accounts, activation, signInFlow, site }: SignInDeps): readonly Route[] => {
  if (!activation.isOffered) return [];
  const path = (to: string) => site.path(to);
  const page = (body: { code: string; name: string | undefined }, answer: Answer = {}) =>
    webPage({
      title: t.later('activate.title'),
      width: 'narrow',
      ...answer,
      status: answer.status ?? (body.name === undefined ? 410 : 200),
      body: <ActivateForm path={path} {...body} />,
    });
  const resendPage = (name = '', answer: Answer = {}) =>
    webPage({
      title: t.later('activate.title'),
      width: 'narrow',
      ...answer,
      body: <ResendForm path={path} name={name} />,
    });
  const failure = (error: unknown): Answer => {
    if (!Problem.is(error)) throw error;
    return { flash: { kind: 'error', text: error.text }, status: error.status, headers: error.headers };
  };
  const wrong: Answer = { flash: { kind: 'error', text: t.later('error.credentials') }, status: 401 };

  return [
    pageRoute(
      '/user/activate',
      open,
      async (context) => {
        const { code } = context.query;
        if (!code) return context.actor.kind === 'user' ? reply.redirect(path('/')) : resendPage();
        return page({ code, name: (await activation.find(code))?.name });
      },
      { query: Joi.object<CodeField>({ code: textField }).unknown() as Joi.ObjectSchema<CodeField> },
    ),
    postRoute(
      '/user/activate',
      open,
      async (context) => {
        const { code, password } = context.payload;
        const account = await activation.find(code);
        if (!account) return page({ code, name: undefined });
        try {
          const check = await accounts.checkPassword(account.name, password, context.remoteAddress);
          if (check?.id !== account.id) {
            const flash: Flash = { kind: 'error', text: t.later('error.password') };
            return page({ code, name: account.name }, { flash, status: 401 });
          }
          const active = await activation.activate(account);
          return await signInFlow.begin(context, { account: active, remember: false, redirectTo: '', by: 'password' });
        } catch (error) {
          return page({ code, name: account.name }, failure(error));
        }
      },
      { payload: Joi.object<ActivateFields>({ code: textField, password: textField }) },
    ),
    postRoute(
      '/user/activate/resend',
      open,
      async (context) => {
        const { user_name: name, password } = context.payload;
        try {
          const account = await accounts.checkPassword(name, password, context.remoteAddress);
          if (!account || !(await activation.isAwaited(account))) return resendPage(name, wrong);
          if (!(await activation.send(account, context.remoteAddress, preferredLanguage(context))))
            throw new Problem('too_many', t.later('error.mailMany'));
          return resendPage(name, {
            flash: { kind: 'success', text: t.later('activate.sent', { email: account.email }) },
          });
        } catch (error) {
          return resendPage(name, failure(error));
        }
      },
      { payload: Joi.object<ResendFields>({ user_name: textField, password: textField }) },
    ),
  ];
};
