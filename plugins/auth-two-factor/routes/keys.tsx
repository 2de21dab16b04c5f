import {
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
  type Site,
  webPage,
  formId,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { SignInFlow } from '@mortise/sessions/api';
import { KeyForm, KeysSection } from '../pages/keys.js';
import { RecoveryCodes } from '../pages/security.js';
import type { KeyKind, Keys } from '../services/keys.js';
import { keyPath, securityPath, stepKey } from '../services/second-factor-step.js';
import { t } from '../texts/index.js';
import { open } from './code.js';
import { access, atField, type makeSecurityPage, type SecurityDeps, type SecuritySection } from './security.js';

export const passkeyPath = '/user/login/passkey';

interface Answer {
  readonly challenge: string;
  readonly response: string;
  readonly redirect_to: string;
}
const field = (max: number) => Joi.string().allow('').max(max).default('');
const answer = Joi.object<Answer>({ challenge: field(2000), response: field(20_000), redirect_to: field(2000) });

interface SignInDeps {
  readonly accounts: Accounts;
  readonly keys: Keys;
  readonly signInFlow: SignInFlow;
  readonly site: Site;
}

/** `/user/webauthn`: the second factor by a key; `/user/login/passkey`: a passkey in the place of the password. */
export const keySignInPages =
  (hasPasskeys: boolean) =>
  ({ accounts, keys, signInFlow, site }: SignInDeps): readonly Route[] => {
    const path = (to: string) => site.path(to);
    const page = async (
      { csrf }: Pick<RouteContext, 'csrf'>,
      given: { userId?: number; redirectTo?: string },
      refused: { flash?: PageOptions['flash']; status?: number } = {},
    ) => {
      const asked = await keys.ask(given.userId);
      const isPasskey = given.userId === undefined;
      return webPage({
        title: isPasskey ? t.later('passkey.title') : t.later('code.title'),
        width: 'narrow',
        islands: ['webauthn'],
        ...refused,
        body: <KeyForm asked={asked} isPasskey={isPasskey} redirectTo={given.redirectTo} csrf={csrf} path={path} />,
      });
    };
    const refusal = (error: unknown) => ({ flash: refusedFlash(error), status: 401 });
    const second = [
      defineRoute({
        method: 'GET',
        path: keyPath,
        access: open,
        handler: async (context) => {
          const pendingSignIn = await signInFlow.at(context, stepKey);
          return pendingSignIn
            ? page(context, { userId: pendingSignIn.account.id })
            : reply.redirect(path('/user/login'));
        },
      }),
      defineRoute({
        method: 'POST',
        path: keyPath,
        access: open,
        payload: { as: 'form' },
        request: { payload: answer },
        handler: async (context) => {
          const { challenge: encrypted, response } = context.payload;
          const pendingSignIn = await signInFlow.at(context, stepKey);
          if (!pendingSignIn) return reply.redirect(path('/user/login'));
          const userId = pendingSignIn.account.id;
          try {
            await keys.check({ encrypted, response }, userId);
          } catch (error) {
            return page(context, { userId }, refusal(error));
          }
          return signInFlow.pass(context, pendingSignIn, stepKey);
        },
      }),
    ];
    const passkeys = [
      // A well-known address, by which password managers find where passkeys are made (W3C, "A Well-Known URL for
      // Relying Party Passkey Endpoints").
      defineRoute({
        method: 'GET',
        path: '/.well-known/passkey-endpoints',
        surface: 'protocol',
        access: { actor: 'anyone', always: true },
        handler: () => reply.json({ enroll: site.url(securityPath), manage: site.url(securityPath) }),
      }),
      defineRoute({
        method: 'GET',
        path: passkeyPath,
        access: open,
        handler: (context) => {
          const redirectTo = signInFlow.safeTarget((context.query as { redirect_to?: unknown }).redirect_to);
          // whoever has somewhere to go may have to sign in once more, see `/user/login?again`
          return context.actor.kind === 'user' && !redirectTo
            ? reply.redirect(path('/'))
            : page(context, { redirectTo });
        },
      }),
      defineRoute({
        method: 'POST',
        path: passkeyPath,
        access: open,
        payload: { as: 'form' },
        request: { payload: answer },
        handler: async (context) => {
          const { challenge: encrypted, response, redirect_to } = context.payload;
          const redirectTo = signInFlow.safeTarget(redirect_to);
          try {
            const account = await accounts.byId(await keys.check({ encrypted, response }));
            if (!account) throw Invalid(t.later('error.key'));
            const arrival = { account, remember: false, redirectTo, by: 'passkey', passed: [stepKey] };
            return await signInFlow.begin(context, arrival);
          } catch (error) {
            return page(context, { redirectTo }, refusal(error));
          }
        },
      }),
    ];
    return hasPasskeys ? [...second, ...passkeys] : second;
  };

/** The part of the security page about keys. */
export const keysSection =
  (
    { accounts, keys, site }: Pick<SignInDeps, 'accounts' | 'keys' | 'site'>,
    passkeysSignIn: boolean,
  ): SecuritySection =>
  async ({ actor, csrf }, { hasPassword, isFixed }) => {
    const account = await accounts.byId(actor.id);
    const props = {
      keys: await keys.list(actor.id),
      asked: await keys.askNew(account!),
      passkeysSignIn,
      hasPassword,
      isFixed,
      csrf,
      path: (to: string) => site.path(to),
    };
    return <KeysSection {...props} />;
  };

/** Adds, names and removes keys. */
export const keySettingsPages = (
  { confirmation, settingsPage, site, keys }: SecurityDeps & { readonly keys: Keys },
  securityPage: ReturnType<typeof makeSecurityPage>,
): readonly Route[] => {
  const path = (to: string) => site.path(to);
  const back = path(`${securityPath}?saved=1`);
  const nameOf = (values: Parameters<typeof formText>[0]): string => {
    const name = formText(values, 'name', 256);
    if (name && name.length <= 255) return name;
    throw Invalid(t.later('error.keyName'), { inputs: { 'field-key-name': t.later('error.keyName') } });
  };
  return [
    defineRoute({
      method: 'POST',
      path: `${securityPath}/webauthn`,
      access,
      payload: { as: 'form' },
      request: { payload: Joi.object().unknown() },
      handler: async (context) => {
        const { actor, remoteAddress } = context;
        const values = context.payload as Record<string, string>;
        try {
          const name = nameOf(values);
          await confirmation.check(actor, formText(values, 'password'), remoteAddress);
          const kind: KeyKind = formText(values, 'kind') === 'passkey' ? 'passkey' : 'key';
          const response = formText(values, 'response', 20_000);
          const codes = await keys.add(actor.id, { name, kind, response, encrypted: formText(values, 'challenge') });
          if (codes.length === 0) return reply.redirect(back);
          const body = <RecoveryCodes codes={codes} path={path} />;
          return settingsPage({ active: 'security', title: t.later('recovery.title'), actor, body });
        } catch (error) {
          const flash = atField(refusedFlash(error), 'field-key-password');
          return securityPage(context, { flash, status: (error as Problem).status });
        }
      },
    }),
    formRoute(
      `${securityPath}/webauthn/rename`,
      access,
      async ({ actor }, values) => {
        await confirmation.mayChange(actor.id);
        await keys.rename(actor.id, formId(values, 'id'), nameOf(values));
        return back;
      },
      (context, _, flash) => securityPage(context, { flash, status: 422 }),
    ),
    formRoute(
      `${securityPath}/webauthn/delete`,
      access,
      async ({ actor, remoteAddress }, values) => {
        await confirmation.check(actor, formText(values, 'password'), remoteAddress);
        await keys.remove(actor.id, formId(values, 'id'));
        return back;
      },
      (context, values, flash) =>
        securityPage(context, { flash: atField(flash, `field-key-password-${formText(values, 'id')}`), status: 422 }),
    ),
  ];
};
