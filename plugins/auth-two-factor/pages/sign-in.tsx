import { Csrf, TextField, FormFrame } from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import { t } from '../texts/index.js';

export interface CodeFormProps {
  /** The account has an app, not recovery codes alone. */
  readonly hasApp: boolean;
  readonly hasKey: boolean;
  readonly csrf: string;
  readonly path: (path: string) => string;
}

export const CodeForm = ({ hasApp, hasKey, csrf, path }: CodeFormProps): VNode => (
  <FormFrame
    title={t('code.title')}
    below={hasKey ? <a href={path('/user/webauthn')}>{t('code.useKey')}</a> : undefined}
  >
    <form method="post" action={path('/user/two_factor')}>
      <Csrf token={csrf} />
      <TextField
        name="passcode"
        label={hasApp ? t('code.label') : t('code.recoveryLabel')}
        note={hasApp ? t('code.note') : t('code.recoveryNote')}
        autocomplete="one-time-code"
        autocapitalize="none"
        maxLength={40}
        required
        autofocus
        mono
      />
      <button class="btn btn-primary btn-block" type="submit">
        {t('code.submit')}
      </button>
    </form>
  </FormFrame>
);
