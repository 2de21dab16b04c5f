import { bold, Csrf, TextField, FormFrame } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { t } from '../texts/index.js';
import type { FormProps } from './forms.js';

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

export const ActivateForm = ({
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
    <FormFrame title={t('activate.title')}>
      <p>{t('link.void')}</p>
      <a class="btn btn-block" href={path('/user/activate')}>
        {t('activate.resend')}
      </a>
    </FormFrame>
  ) : (
    <FormFrame title={t('activate.title')}>
      <form method="post" action={path('/user/activate')}>
        <Csrf token={csrf} />
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
export const ResendForm = ({ csrf, path, name }: FormProps & { readonly name: string }): VNode => (
  <FormFrame title={t('activate.title')} below={<a href={path('/user/login')}>{t('forgot.back')}</a>}>
    <form method="post" action={path('/user/activate/resend')}>
      <Csrf token={csrf} />
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
