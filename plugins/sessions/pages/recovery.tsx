import { bold, Csrf, TextField, FormFrame } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { t } from '../texts/index.js';
import { NewPasswordFields, type FormProps } from './forms.js';

export const ForgotPasswordForm = ({
  csrf,
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
        <Csrf token={csrf} />
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

export const RecoverForm = ({
  csrf,
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
        <Csrf token={csrf} />
        <input type="hidden" name="code" value={code} />
        <p class="wb-break-word">{t.rich('recover.text', { name, b: bold })}</p>
        <NewPasswordFields />
        <button class="btn btn-primary btn-block" type="submit">
          {t('newPassword.submit')}
        </button>
      </form>
    </FormFrame>
  );
