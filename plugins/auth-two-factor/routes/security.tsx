import {
  checkFields,
  defineRoute,
  formRoute,
  formText,
  Invalid,
  Joi,
  type PageOptions,
  Problem,
  refusedFlash,
  reply,
  type Route,
  type RouteContext,
  savedFlash,
  type Site,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { SettingsPage } from '@mortise/accounts/api';
import { Enrol, RecoveryCodes, Security } from '../pages/security.js';
import type { Confirmation } from '../services/confirmation.js';
import type { Factors } from '../services/factors.js';
import { uqr } from '../services/libraries.js';
import { makeSecret, secretUri } from '../services/one-time-codes.js';
import type { EncryptedFields } from '../services/encrypted-fields.js';
import { securityPath } from '../services/second-factor-step.js';
import { t } from '../texts/index.js';

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
    const { actor, csrf } = context;
    const hasPassword = await confirmation.hasPassword(actor.id);
    const props = {
      factors: await factors.of(actor.id),
      codesLeft: await factors.codesLeft(actor.id),
      hasPassword,
      isFixed: await confirmation.isFixed(actor.id),
      isEnforced,
      csrf,
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
  const enrolPage = async ({ actor, csrf }: RouteContext, secret: string, shown: Highlight = {}) => {
    const props = {
      secret,
      encrypted: encryptedFields.encrypt('totp', actor.id, secret),
      svg: uqr().renderSVG(secretUri(secret, site.name, actor.name), { border: 2 }),
      hasPassword: await confirmation.hasPassword(actor.id),
      csrf,
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
  defineRoute({
    method: 'GET',
    path: securityPath,
    access,
    handler: (context) => securityPage(context, { flash: savedFlash(context.query) }),
  });

const enrolRoute = ({ confirmation, factors, path, enrolPage }: SecurityPageContext) =>
  defineRoute({
    method: 'GET',
    path: enrolPath,
    access,
    handler: async (context) => {
      await confirmation.mayChange(context.actor.id);
      return (await factors.of(context.actor.id)).totp
        ? reply.redirect(path(securityPath))
        : enrolPage(context, makeSecret());
    },
  });

const enrol = ({ confirmation, factors, path, encryptedFields, enrolPage, codesPage }: SecurityPageContext) =>
  defineRoute({
    method: 'POST',
    path: enrolPath,
    access,
    payload: { as: 'form' },
    request: { payload: Joi.object().unknown() },
    handler: async (context) => {
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
  });

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
  defineRoute({
    method: 'POST',
    path: `${securityPath}/recovery_codes`,
    access,
    payload: { as: 'form' },
    request: { payload: Joi.object().unknown() },
    handler: async (context) => {
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
  });

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
