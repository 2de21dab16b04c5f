import {
  Ago,
  Csrf,
  IslandTexts,
  listHref,
  Section,
  TextField,
  type Site,
  type Slot,
  FormFrame,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { KeyRow } from '../models/rows.js';
import type { KeyRequest, KeyKind } from '../services/keys.js';
import { t } from '../texts/index.js';
import { ConfirmedForm, PasswordField } from './security.js';

/** Where the island says what went wrong. */
const Trouble = (): VNode => (
  <div>
    <p class="flash flash-error" role="alert" data-webauthn-error hidden />
    <IslandTexts name="webauthn" texts={{ unsupported: t('keys.unsupported'), failed: t('keys.failed') }} />
  </div>
);

export interface KeysProps {
  readonly keys: readonly KeyRow[];
  readonly asked: { readonly options: Record<KeyKind, object>; readonly encrypted: string };
  readonly passkeysSignIn: boolean;
  readonly hasPassword: boolean;
  /** Not to be changed by the account itself. */
  readonly isFixed: boolean;
  readonly csrf: string;
  readonly path: (path: string) => string;
}

const Key = ({ row, csrf, path, hasPassword, isFixed }: Omit<KeysProps, 'keys'> & { row: KeyRow }): VNode => (
  <div class="Box-row">
    <strong>{row.name}</strong> <span class="Label">{row.is_passkey ? t('keys.passkey') : t('keys.securityKey')}</span>
    <div class="f6 color-fg-muted">
      {t.rich('keys.added', { when: <Ago time={Number(row.created_at)} /> })} ·{' '}
      {Number(row.last_used_at) > 0
        ? t.rich('keys.used', { when: <Ago time={Number(row.last_used_at)} /> })
        : t('keys.neverUsed')}
    </div>
    {isFixed ? null : (
      <details class="mt-2">
        <summary>{t('keys.change', { name: row.name })}</summary>
        <form method="post" action={path('/user/settings/security/webauthn/rename')} class="mt-3">
          <Csrf token={csrf} />
          <input type="hidden" name="id" value={String(row.id)} />
          <TextField
            name="name"
            id={`field-name-${row.id}`}
            label={t('keys.name')}
            value={row.name}
            maxLength={255}
            required
          />
          <button class="btn" type="submit">
            {t('keys.rename')}
          </button>
        </form>
        <ConfirmedForm
          action={path('/user/settings/security/webauthn/delete')}
          id={`field-key-password-${row.id}`}
          csrf={csrf}
          hasPassword={hasPassword}
        >
          <input type="hidden" name="id" value={String(row.id)} />
          <button class="btn btn-danger" type="submit">
            {t('keys.remove')}
          </button>
        </ConfirmedForm>
      </details>
    )}
  </div>
);

export function KeysSection(props: KeysProps): VNode {
  const { keys, asked, passkeysSignIn, hasPassword, isFixed, csrf, path } = props;
  return (
    <Section title={t('keys.title')}>
      <p>{passkeysSignIn ? t('keys.note') : t('keys.noteFactor')}</p>
      {keys.length ? (
        <div class="Box mb-3">
          {keys.map((row) => (
            <Key key={row.id} row={row} {...props} />
          ))}
        </div>
      ) : null}
      {isFixed ? null : (
        <form method="post" action={path('/user/settings/security/webauthn')} data-webauthn="create">
          <Csrf token={csrf} />
          <input type="hidden" name="challenge" value={asked.encrypted} />
          <input type="hidden" name="response" value="" />
          <input type="hidden" name="kind" value="key" />
          <TextField name="name" id="field-key-name" label={t('keys.name')} maxLength={255} required />
          <PasswordField id="field-key-password" hasPassword={hasPassword} />
          <Trouble />
          <div class="d-flex flex-wrap gap-2">
            <button
              class="btn btn-primary"
              type="submit"
              data-kind="passkey"
              data-options={JSON.stringify(asked.options.passkey)}
            >
              {t('keys.addPasskey')}
            </button>
            <button class="btn" type="submit" data-kind="key" data-options={JSON.stringify(asked.options.key)}>
              {t('keys.addKey')}
            </button>
          </div>
        </form>
      )}
    </Section>
  );
}

/** Asks for a key: as second factor, or a passkey in the place of the password. */
export const KeyForm = ({
  asked,
  isPasskey,
  redirectTo,
  csrf,
  path,
}: {
  readonly asked: KeyRequest;
  readonly isPasskey: boolean;
  readonly redirectTo?: string;
  readonly csrf: string;
  readonly path: (path: string) => string;
}): VNode => (
  <FormFrame
    title={isPasskey ? t('passkey.title') : t('code.title')}
    below={
      isPasskey ? (
        <a href={path('/user/login')}>{t('passkey.password')}</a>
      ) : (
        <a href={path('/user/two_factor')}>{t('key.useCode')}</a>
      )
    }
  >
    <form method="post" action={path(isPasskey ? '/user/login/passkey' : '/user/webauthn')} data-webauthn="get">
      <Csrf token={csrf} />
      <input type="hidden" name="challenge" value={asked.encrypted} />
      <input type="hidden" name="response" value="" />
      {isPasskey ? <input type="hidden" name="redirect_to" value={redirectTo ?? ''} /> : null}
      <p>{isPasskey ? t('passkey.note') : t('key.note')}</p>
      <Trouble />
      <button class="btn btn-primary btn-block" type="submit" autofocus data-options={JSON.stringify(asked.options)}>
        {isPasskey ? t('passkey.submit') : t('key.submit')}
      </button>
    </form>
  </FormFrame>
);

const PasskeyLink = ({ href }: { href: string }): VNode => (
  <a class="btn btn-block mt-2" href={href}>
    {t('passkey.submit')}
  </a>
);

/** On the sign-in page. */
export const passkeyLink = (site: Site): Slot<{ redirectTo: string; csrf: string }> => ({
  key: 'passkey',
  render: ({ redirectTo }) => (
    <PasskeyLink href={listHref(site.path('/user/login/passkey'), { redirect_to: redirectTo || undefined })} />
  ),
});
