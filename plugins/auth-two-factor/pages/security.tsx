import {
  checkFields,
  Csrf,
  formRoute,
  formText,
  Invalid,
  Joi,
  pageRoute,
  postRoute,
  Problem,
  refusedFlash,
  reply,
  savedFlash,
  Section,
  TextField,
  type PageOptions,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { ComponentChildren, VNode } from 'preact';
import type { EnrolledFactors } from '../contract/auth-two-factor.js';
import { t } from '../texts/index.js';
import type { SettingsPage } from '@mortise/accounts/api';
import type { Confirmation } from '../services/confirmation.js';
import type { Factors } from '../services/factors.js';
import { uqr } from '../services/libraries.js';
import { makeSecret, secretUri } from '../services/one-time-codes.js';
import type { EncryptedFields } from '../services/encrypted-fields.js';
import { securityPath } from '../services/second-factor-step.js';

interface SecurityProps {
  readonly factors: EnrolledFactors;
  readonly codesLeft: number;
  readonly hasPassword: boolean;
  /** Not to be changed by the account itself. */
  readonly isFixed: boolean;
  readonly isEnforced: boolean;
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
  hasPassword,
  children,
}: {
  action: string;
  id: string;
  hasPassword: boolean;
  children: ComponentChildren;
}): VNode => (
  <form method="post" action={action} class="mt-3">
    <Csrf />
    <PasswordField id={id} hasPassword={hasPassword} />
    {children}
  </form>
);

function Codes({ factors, path, hasPassword, isFixed }: SecurityProps): VNode {
  return (
    <Section title={t('totp.title')}>
      <p>{factors.totp ? t('totp.on') : t('totp.off')}</p>
      {isFixed ? null : factors.totp ? (
        <ConfirmedForm
          action={path('/user/settings/security/two_factor/disable')}
          id="field-disable-password"
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

function Recovery({ factors, codesLeft, path, hasPassword, isFixed }: SecurityProps): VNode | null {
  if (isFixed || (!factors.totp && factors.keys === 0)) return null;
  return (
    <Section title={t('recovery.title')}>
      <p>{t('recovery.left', { count: codesLeft })}</p>
      <ConfirmedForm
        action={path('/user/settings/security/recovery_codes')}
        id="field-codes-password"
        hasPassword={hasPassword}
      >
        <button class="btn" type="submit">
          {t('recovery.make')}
        </button>
      </ConfirmedForm>
    </Section>
  );
}

function Security(props: SecurityProps & { readonly children?: ComponentChildren }): VNode {
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

interface EnrolProps {
  readonly secret: string;
  /** The secret for the form, encrypted. */
  readonly encrypted: string;
  readonly svg: string;
  readonly hasPassword: boolean;
  readonly path: (path: string) => string;
}

/** Four letters at a time: people type it. */
const inGroups = (secret: string): string => secret.replace(/(.{4})(?=.)/g, '$1 ');

const Enrol = ({ secret, encrypted, svg, hasPassword, path }: EnrolProps): VNode => (
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
      <Csrf />
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

const enrolPath = `${securityPath}/two_factor/enroll`;
export const access = { actor: 'user' } as const;

export interface SecurityDeps {
  readonly factors: Factors;
  readonly confirmation: Confirmation;
  readonly encryptedFields: EncryptedFields;
  readonly settingsPage: SettingsPage;
  readonly site: Site;
}

interface Highlight {
  readonly flash?: PageOptions['flash'];
  readonly status?: number;
}

/** What another part of the plugin puts onto the page. */
export type SecuritySection = (
  context: RouteContext,
  state: { readonly hasPassword: boolean; readonly isFixed: boolean },
) => Promise<VNode>;

export const makeSecurityPage =
  ({ factors, confirmation, settingsPage, site }: SecurityDeps, isEnforced: boolean, keys?: SecuritySection) =>
  async (context: RouteContext, shown: Highlight = {}) => {
    const { actor } = context;
    const hasPassword = await confirmation.hasPassword(actor.id);
    const props = {
      factors: await factors.of(actor.id),
      codesLeft: await factors.codesLeft(actor.id),
      hasPassword,
      isFixed: await confirmation.isFixed(actor.id),
      isEnforced,
      path: (to: string) => site.path(to),
    };
    const section = await keys?.(context, props);
    return settingsPage({
      active: 'security',
      title: t.later('security.title'),
      actor,
      ...shown,
      islands: keys ? ['webauthn'] : undefined,
      body: <Security {...props}>{section}</Security>,
    });
  };

/** What these routes share. */
function securityContext(deps: SecurityDeps, securityPage: ReturnType<typeof makeSecurityPage>) {
  const { factors, confirmation, encryptedFields, settingsPage, site } = deps;
  const path = (to: string) => site.path(to);
  const codesPage = ({ actor }: RouteContext, codes: readonly string[]) =>
    settingsPage({
      active: 'security',
      title: t.later('recovery.title'),
      actor,
      body: <RecoveryCodes codes={codes} path={path} />,
    });
  const enrolPage = async ({ actor }: RouteContext, secret: string, shown: Highlight = {}) => {
    const props = {
      secret,
      encrypted: encryptedFields.encrypt('totp', actor.id, secret),
      svg: uqr().renderSVG(secretUri(secret, site.name, actor.name), { border: 2 }),
      hasPassword: await confirmation.hasPassword(actor.id),
      path,
    };
    return settingsPage({
      active: 'security',
      title: t.later('enrol.title'),
      actor,
      ...shown,
      body: <Enrol {...props} />,
    });
  };
  return { securityPage, confirmation, factors, path, enrolPage, encryptedFields, codesPage };
}

type SecurityPageContext = ReturnType<typeof securityContext>;

const securityRoute = ({ securityPage }: SecurityPageContext) =>
  pageRoute(securityPath, access, (context) => securityPage(context, { flash: savedFlash(context.query) }));

const enrolRoute = ({ confirmation, factors, path, enrolPage }: SecurityPageContext) =>
  pageRoute(enrolPath, access, async (context) => {
    await confirmation.mayChange(context.actor.id);
    return (await factors.of(context.actor.id)).totp
      ? reply.redirect(path(securityPath))
      : enrolPage(context, makeSecret());
  });

const enrol = ({ confirmation, factors, path, encryptedFields, enrolPage, codesPage }: SecurityPageContext) =>
  postRoute(
    enrolPath,
    access,
    async (context) => {
      const { actor, remoteAddress } = context;
      const values = context.payload as Record<string, string>;
      await confirmation.mayChange(actor.id);
      if ((await factors.of(actor.id)).totp) return reply.redirect(path(securityPath));
      const secret = encryptedFields.decrypt('totp', actor.id, formText(values, 'secret'));
      const again = { flash: { kind: 'error', text: t.later('error.tooLate') }, status: 422 } as const;
      if (!secret) return enrolPage(context, makeSecret(), again);
      try {
        await checkFields({
          password: () => confirmation.check(actor, formText(values, 'password'), remoteAddress),
          passcode: () => {
            if (!factors.isCode(secret, formText(values, 'passcode'))) throw Invalid(t.later('error.code'));
          },
        });
        const codes = await factors.enrol(actor.id, secret, formText(values, 'passcode'));
        return codes.length ? codesPage(context, codes) : reply.redirect(path(`${securityPath}?saved=1`));
      } catch (error) {
        if (!Problem.is(error)) throw error;
        return enrolPage(context, secret, { flash: refusedFlash(error), status: error.status });
      }
    },
    { payload: Joi.object().unknown() },
  );

const disableTwoFactor = ({ confirmation, factors, path, securityPage }: SecurityPageContext) =>
  formRoute(
    `${securityPath}/two_factor/disable`,
    access,
    async ({ actor, remoteAddress }, values) => {
      await confirmation.check(actor, formText(values, 'password'), remoteAddress);
      await factors.removeTotp(actor.id);
      return path(`${securityPath}?saved=1`);
    },
    (context, _, flash) => securityPage(context, { flash: atField(flash, 'field-disable-password'), status: 422 }),
  );

const renewRecoveryCodes = ({ confirmation, factors, codesPage, securityPage }: SecurityPageContext) =>
  postRoute(
    `${securityPath}/recovery_codes`,
    access,
    async (context) => {
      const { actor, remoteAddress } = context;
      const values = context.payload as Record<string, string>;
      try {
        await confirmation.check(actor, formText(values, 'password'), remoteAddress);
        if (!(await factors.has(actor.id))) throw Invalid(t.later('error.noFactor'));
        return codesPage(context, await factors.makeCodes(actor.id));
      } catch (error) {
        const flash = atField(refusedFlash(error), 'field-codes-password');
        return securityPage(context, { flash, status: (error as Problem).status });
      }
    },
    { payload: Joi.object().unknown() },
  );

/** `/user/settings/security`: one's own second factors. */
export function securityPages(deps: SecurityDeps, securityPage: ReturnType<typeof makeSecurityPage>): readonly Route[] {
  const context = securityContext(deps, securityPage);
  return [
    securityRoute(context),
    enrolRoute(context),
    enrol(context),
    disableTwoFactor(context),
    renewRecoveryCodes(context),
  ];
}

/** The page has several fields for the password: says which of them is meant. */
export function atField(flash: NonNullable<PageOptions['flash']>, id: string): NonNullable<PageOptions['flash']> {
  const { password, ...fields } = flash.fields ?? {};
  return password === undefined ? flash : { ...flash, fields: { ...fields, [id]: password } };
}
