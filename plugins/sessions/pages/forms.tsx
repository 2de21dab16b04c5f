import { CheckField, Csrf, FormFrame, listHref, TextField } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { t } from '../texts/index.js';

export interface FormProps {
  readonly path: (path: string) => string;
}

export function SignInForm({
  path,
  redirectTo,
  name,
  hasForm,
  canRegister,
  canRecover,
  captcha,
  links,
}: FormProps & {
  captcha: VNode | undefined;
  redirectTo: string;
  name: string;
  hasForm: boolean;
  canRegister: boolean;
  /** Forgotten passwords can be replaced. */
  canRecover: boolean;
  links: readonly VNode[];
}): VNode {
  return (
    <FormFrame
      title={t('signIn.title')}
      below={
        canRegister ? (
          <span>
            {t.rich('signIn.new', {
              link: (children) => <a href={listHref(path('/user/sign_up'), { redirect_to: redirectTo })}>{children}</a>,
            })}
          </span>
        ) : null
      }
    >
      {hasForm ? (
        <form method="post" action={path('/user/login')}>
          <Csrf />
          <input type="hidden" name="redirect_to" value={redirectTo} />
          <TextField
            name="user_name"
            required
            autocapitalize="none"
            label={t('signIn.name')}
            value={name}
            autocomplete="username"
            autofocus={!name}
          />
          <TextField
            required
            name="password"
            label={t('signIn.password')}
            type="password"
            autocomplete="current-password"
            autofocus={Boolean(name)}
          />
          {canRecover ? (
            <p class="f6 text-right">
              <a href={path('/user/forgot_password')}>{t('signIn.forgot')}</a>
            </p>
          ) : null}
          {captcha}
          <CheckField name="remember" label={t('signIn.remember')} />
          <button class="btn btn-primary btn-block mt-3" type="submit">
            {t('signIn.submit')}
          </button>
        </form>
      ) : links.length === 0 ? (
        <p class="mb-0">{t('signIn.noWay')}</p>
      ) : null}
      {links}
    </FormFrame>
  );
}

export function RegisterForm({
  path,
  name,
  email,
  isFirst,
  redirectTo,
  captcha,
}: FormProps & {
  name: string;
  email: string;
  isFirst: boolean;
  redirectTo: string;
  captcha: VNode | undefined;
}): VNode {
  return (
    <FormFrame
      title={t(isFirst ? 'register.first' : 'register.title')}
      below={
        <span>
          {t.rich('register.existing', {
            link: (children) => <a href={listHref(path('/user/login'), { redirect_to: redirectTo })}>{children}</a>,
          })}
        </span>
      }
    >
      {isFirst ? <p class="flash mb-3">{t('register.firstNote')}</p> : null}
      <form method="post" action={path('/user/sign_up')}>
        <Csrf />
        <input type="hidden" name="redirect_to" value={redirectTo} />
        <TextField
          name="user_name"
          input="name"
          required
          autocapitalize="none"
          label={t('register.name')}
          value={name}
          autocomplete="username"
          autofocus
          note={t('register.nameNote')}
        />
        <TextField
          name="email"
          required
          autocapitalize="none"
          label={t('register.email')}
          type="email"
          value={email}
          autocomplete="email"
        />
        <TextField
          required
          name="password"
          label={t('register.password')}
          type="password"
          autocomplete="new-password"
        />
        <TextField required name="retype" label={t('register.confirm')} type="password" autocomplete="new-password" />
        {captcha}
        <button class="btn btn-primary btn-block" type="submit">
          {t('register.submit')}
        </button>
      </form>
    </FormFrame>
  );
}

/** A new password, twice. */
export const NewPasswordFields = (): VNode => (
  <>
    <TextField
      required
      name="password"
      label={t('newPassword.new')}
      type="password"
      autocomplete="new-password"
      autofocus
    />
    <TextField required name="retype" label={t('newPassword.confirm')} type="password" autocomplete="new-password" />
  </>
);

export function NewPasswordForm({ path }: FormProps): VNode {
  return (
    <FormFrame title={t('newPassword.title')}>
      <p>{t('newPassword.text')}</p>
      <form method="post" action={path('/user/settings/change_password')}>
        <Csrf />
        <NewPasswordFields />
        <button class="btn btn-primary btn-block" type="submit">
          {t('newPassword.submit')}
        </button>
      </form>
    </FormFrame>
  );
}
