import {
  Ago,
  Csrf,
  defineRoute,
  FormFrame,
  formId,
  formRoute,
  formText,
  Invalid,
  IslandTexts,
  Joi,
  listHref,
  pageRoute,
  postRoute,
  Problem,
  refusedFlash,
  reply,
  Section,
  TextField,
  webPage,
  type Site,
  type Slot,
  type PageOptions,
  type Route,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { KeyRow } from '../models/key.js';
import type { KeyRequest, KeyKind, Keys } from '../services/keys.js';
import { t } from '../texts/index.js';
import { ConfirmedForm, PasswordField, RecoveryCodes } from './security.js';
import type { Accounts } from '@mortise/accounts/api';
import type { SignInFlow } from '@mortise/sessions/api';
import { keyPath, securityPath, stepKey } from '../services/second-factor-step.js';
import { open } from './sign-in.js';
import { access, atField, type makeSecurityPage, type SecurityDeps, type SecuritySection } from './security.js';

/** Where the island says what went wrong. */
const Trouble = (): VNode => (
  <div>
    <p class="flash flash-error" role="alert" data-webauthn-error hidden />
    <IslandTexts name="webauthn" texts={{ unsupported: t('keys.unsupported'), failed: t('keys.failed') }} />
  </div>
);

interface KeysProps {
  readonly keys: readonly KeyRow[];
  readonly asked: { readonly options: Record<KeyKind, object>; readonly encrypted: string };
  readonly passkeysSignIn: boolean;
  readonly hasPassword: boolean;
  /** Not to be changed by the account itself. */
  readonly isFixed: boolean;
  readonly path: (path: string) => string;
}

const Key = ({ row, path, hasPassword, isFixed }: Omit<KeysProps, 'keys'> & { row: KeyRow }): VNode => (
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
          <Csrf />
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

function KeysSection(props: KeysProps): VNode {
  const { keys, asked, passkeysSignIn, hasPassword, isFixed, path } = props;
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
          <Csrf />
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
const KeyForm = ({
  asked,
  isPasskey,
  redirectTo,
  path,
}: {
  readonly asked: KeyRequest;
  readonly isPasskey: boolean;
  readonly redirectTo?: string;
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
      <Csrf />
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
export const passkeyLink = (site: Site): Slot<{ redirectTo: string }> => ({
  key: 'passkey',
  render: ({ redirectTo }) => (
    <PasskeyLink href={listHref(site.path('/user/login/passkey'), { redirect_to: redirectTo || undefined })} />
  ),
});

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
        body: <KeyForm asked={asked} isPasskey={isPasskey} redirectTo={given.redirectTo} path={path} />,
      });
    };
    const refusal = (error: unknown) => ({ flash: refusedFlash(error), status: 401 });
    const second = [
      pageRoute(keyPath, open, async (context) => {
        const pendingSignIn = await signInFlow.at(context, stepKey);
        return pendingSignIn ? page({ userId: pendingSignIn.account.id }) : reply.redirect(path('/user/login'));
      }),
      postRoute(
        keyPath,
        open,
        async (context) => {
          const { challenge: encrypted, response } = context.payload;
          const pendingSignIn = await signInFlow.at(context, stepKey);
          if (!pendingSignIn) return reply.redirect(path('/user/login'));
          const userId = pendingSignIn.account.id;
          try {
            await keys.check({ encrypted, response }, userId);
          } catch (error) {
            return page({ userId }, refusal(error));
          }
          return signInFlow.pass(context, pendingSignIn, stepKey);
        },
        { payload: answer },
      ),
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
      pageRoute(passkeyPath, open, (context) => {
        const redirectTo = signInFlow.safeTarget((context.query as { redirect_to?: unknown }).redirect_to);
        // whoever has somewhere to go may have to sign in once more, see `/user/login?again`
        return context.actor.kind === 'user' && !redirectTo ? reply.redirect(path('/')) : page({ redirectTo });
      }),
      postRoute(
        passkeyPath,
        open,
        async (context) => {
          const { challenge: encrypted, response, redirect_to } = context.payload;
          const redirectTo = signInFlow.safeTarget(redirect_to);
          try {
            const account = await accounts.byId(await keys.check({ encrypted, response }));
            if (!account) throw Invalid(t.later('error.key'));
            const signIn = { account, remember: false, redirectTo, by: 'passkey', passed: [stepKey] };
            return await signInFlow.begin(context, signIn);
          } catch (error) {
            return page({ redirectTo }, refusal(error));
          }
        },
        { payload: answer },
      ),
    ];
    return hasPasskeys ? [...second, ...passkeys] : second;
  };

/** The part of the security page about keys. */
export const keysSection =
  (
    { accounts, keys, site }: Pick<SignInDeps, 'accounts' | 'keys' | 'site'>,
    passkeysSignIn: boolean,
  ): SecuritySection =>
  async ({ actor }, { hasPassword, isFixed }) => {
    const account = await accounts.byId(actor.id);
    const props = {
      keys: await keys.list(actor.id),
      asked: await keys.askNew(account!),
      passkeysSignIn,
      hasPassword,
      isFixed,
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
    postRoute(
      `${securityPath}/webauthn`,
      access,
      async (context) => {
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
      { payload: Joi.object().unknown() },
    ),
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
