import { Csrf, Section, TextField } from '@mortise/plugin-sdk';
import type { ComponentChildren, VNode } from 'preact';
import type { EnrolledFactors } from '../contract/auth-two-factor.js';
import { t } from '../texts/index.js';

export interface SecurityProps {
  readonly factors: EnrolledFactors;
  readonly codesLeft: number;
  readonly hasPassword: boolean;
  /** Not to be changed by the account itself. */
  readonly isFixed: boolean;
  readonly isEnforced: boolean;
  readonly csrf: string;
  readonly path: (path: string) => string;
}

/** The password, of those who have one: others must have signed in a moment ago. */
export const PasswordField = ({ id, hasPassword }: { id: string; hasPassword: boolean }): VNode | null =>
  hasPassword ? (
    <TextField
      name="password"
      id={id}
      input={id === 'field-password' ? 'password' : id}
      type="password"
      label={t('security.password')}
      autocomplete="current-password"
      required
    />
  ) : null;

export const ConfirmedForm = ({
  action,
  id,
  csrf,
  hasPassword,
  children,
}: {
  action: string;
  id: string;
  csrf: string;
  hasPassword: boolean;
  children: ComponentChildren;
}): VNode => (
  <form method="post" action={action} class="mt-3">
    <Csrf token={csrf} />
    <PasswordField id={id} hasPassword={hasPassword} />
    {children}
  </form>
);

function Codes({ factors, csrf, path, hasPassword, isFixed }: SecurityProps): VNode {
  return (
    <Section title={t('totp.title')}>
      <p>{factors.totp ? t('totp.on') : t('totp.off')}</p>
      {isFixed ? null : factors.totp ? (
        <ConfirmedForm
          action={path('/user/settings/security/two_factor/disable')}
          id="field-disable-password"
          csrf={csrf}
          hasPassword={hasPassword}
        >
          <button class="btn btn-danger" type="submit">
            {t('totp.disable')}
          </button>
        </ConfirmedForm>
      ) : (
        <a class="btn btn-primary" href={path('/user/settings/security/two_factor/enroll')}>
          {t('totp.setUp')}
        </a>
      )}
    </Section>
  );
}

function Recovery({ factors, codesLeft, csrf, path, hasPassword, isFixed }: SecurityProps): VNode | null {
  if (isFixed || (!factors.totp && factors.keys === 0)) return null;
  return (
    <Section title={t('recovery.title')}>
      <p>{t('recovery.left', { count: codesLeft })}</p>
      <ConfirmedForm
        action={path('/user/settings/security/recovery_codes')}
        id="field-codes-password"
        csrf={csrf}
        hasPassword={hasPassword}
      >
        <button class="btn" type="submit">
          {t('recovery.make')}
        </button>
      </ConfirmedForm>
    </Section>
  );
}

export function Security(props: SecurityProps & { readonly children?: ComponentChildren }): VNode {
  const { factors, isEnforced } = props;
  return (
    <div>
      {isEnforced && !factors.totp && factors.keys === 0 ? (
        <div class="flash flash-warn mb-4">{t('security.enforced')}</div>
      ) : null}
      {props.isFixed ? <p class="color-fg-muted">{t('security.fixed')}</p> : null}
      <Codes {...props} />
      {props.children}
      <Recovery {...props} />
    </div>
  );
}

/** Recovery codes, shown once. */
export const RecoveryCodes = ({ codes, path }: { codes: readonly string[]; path: (path: string) => string }): VNode => (
  <Section title={t('recovery.title')}>
    <p>{t('recovery.note')}</p>
    <div class="Box">
      <pre class="Box-body text-mono m-0" id="recovery-codes">
        {codes.join('\n')}
      </pre>
    </div>
    <a class="btn btn-primary mt-3" href={path('/user/settings/security')}>
      {t('recovery.kept')}
    </a>
  </Section>
);

export interface EnrolProps {
  readonly secret: string;
  /** The secret for the form, encrypted. */
  readonly encrypted: string;
  readonly svg: string;
  readonly hasPassword: boolean;
  readonly csrf: string;
  readonly path: (path: string) => string;
}

/** Four letters at a time: people type it. */
const inGroups = (secret: string): string => secret.replace(/(.{4})(?=.)/g, '$1 ');

export const Enrol = ({ secret, encrypted, svg, hasPassword, csrf, path }: EnrolProps): VNode => (
  <Section title={t('enrol.title')}>
    <p>{t('enrol.scan')}</p>
    <div
      class="qr-code mb-3"
      role="img"
      aria-label={t('enrol.qr')}
      style="width: 200px; background: #fff"
      dangerouslySetInnerHTML={{ __html: svg }}
    />
    <p>
      {t.rich('enrol.secret', {
        secret: (
          <code class="text-mono" id="totp-secret">
            {inGroups(secret)}
          </code>
        ),
      })}
    </p>
    <form method="post" action={path('/user/settings/security/two_factor/enroll')}>
      <Csrf token={csrf} />
      <input type="hidden" name="secret" value={encrypted} />
      <TextField
        name="passcode"
        label={t('enrol.code')}
        note={t('enrol.codeNote')}
        autocomplete="one-time-code"
        maxLength={20}
        required
        short
        mono
      />
      <PasswordField id="field-password" hasPassword={hasPassword} />
      <button class="btn btn-primary" type="submit">
        {t('enrol.submit')}
      </button>
    </form>
  </Section>
);
