import { Csrf, TextField } from '@mortise/plugin-sdk';
import type { ComponentChildren, VNode } from 'preact';
import { t } from '../texts/index.js';

export const Frame = ({
  title,
  children,
  below,
}: {
  title: string;
  children: ComponentChildren;
  below?: ComponentChildren;
}): VNode => (
  <div class="mx-auto py-5 px-3 narrow-form">
    <h1 class="h3 text-center text-normal mb-3">{title}</h1>
    <div class="Box color-bg-subtle">
      <div class="Box-body">{children}</div>
    </div>
    {below ? <div class="Box mt-3 p-3 text-center">{below}</div> : null}
  </div>
);

export interface CodeFormProps {
  /** The account has an app, not recovery codes alone. */
  readonly hasApp: boolean;
  readonly hasKey: boolean;
  readonly csrf: string;
  readonly path: (path: string) => string;
}

export const CodeForm = ({ hasApp, hasKey, csrf, path }: CodeFormProps): VNode => (
  <Frame title={t('code.title')} below={hasKey ? <a href={path('/user/webauthn')}>{t('code.useKey')}</a> : undefined}>
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
  </Frame>
);
