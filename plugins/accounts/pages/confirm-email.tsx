import { bold, Csrf, FormFrame } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { t } from '../texts/index.js';

interface ConfirmEmailProps {
  /** Undefined: the code is worth nothing. */
  readonly email: string | undefined;
  readonly code: string;
  readonly csrf: string;
  readonly path: (path: string) => string;
}

export const ConfirmEmail = ({ email, code, csrf, path }: ConfirmEmailProps): VNode => (
  <FormFrame title={t('confirm.title')}>
    {email === undefined ? (
      <>
        <p>{t('confirm.void')}</p>
        <a class="btn btn-block" href={path('/user/settings/account')}>
          {t('confirm.settings')}
        </a>
      </>
    ) : (
      <form method="post" action={path('/user/activate_email')}>
        <Csrf token={csrf} />
        <input type="hidden" name="code" value={code} />
        <p class="wb-break-word">{t.rich('confirm.text', { email, b: bold })}</p>
        <button class="btn btn-primary btn-block" type="submit">
          {t('confirm.submit')}
        </button>
      </form>
    )}
  </FormFrame>
);
