import type { VNode } from 'preact';
import {
  Ago,
  Blankslate,
  Csrf,
  formatDate,
  Joi,
  pageRoute,
  PostButton,
  postRoute,
  Problem,
  reply,
  Section,
  TextField,
  type Actor,
  type PageOptions,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { EmailAddress, AccountFeatures, Accounts, Emails, SettingsPage } from '@mortise/accounts/api';
import type { GpgKey, GpgKeys } from '../contract/signatures.js';
import { ownAddresses } from '../services/api-gpg-key.js';
import { t } from '../texts/index.js';

interface Props {
  readonly keys: readonly GpgKey[];
  /** Not to be changed by the account itself. */
  readonly isFixed: boolean;
  readonly emails: readonly EmailAddress[];
  readonly token: string;
  readonly path: (path: string) => string;
  /** What was sent and refused. */
  readonly draft?: { readonly key?: string; readonly signature?: string };
}

/** In groups of four, as gpg shows it. */
const grouped = (fingerprint: string) => fingerprint.match(/.{1,4}/g)?.join(' ') ?? fingerprint;

const Signing = ({ token, keyId }: { token: string; keyId?: string }): VNode => (
  <pre class="p-2 color-bg-subtle rounded-2 f6 wb-break-word" tabIndex={0}>
    {`echo "${token}" | gpg -a ${keyId ? `--default-key ${keyId} ` : ''}--detach-sig`}
  </pre>
);

const keyHint = '-----BEGIN PGP PUBLIC KEY BLOCK-----';
const signatureHint = '-----BEGIN PGP SIGNATURE-----';

function Prove({ item, token, path }: { item: GpgKey } & Pick<Props, 'token' | 'path'>): VNode {
  return (
    <details class="mt-2">
      <summary class="Link--primary f6">{t('prove')}</summary>
      <form method="post" action={path('/user/settings/gpg_keys/verify')} class="mt-2">
        <Csrf />
        <input type="hidden" name="key_id" value={item.keyId} />
        <p class="f6 color-fg-muted mb-1">{t('proveText')}</p>
        <Signing token={token} keyId={item.keyId} />
        <TextField
          id={`signature-${item.id}`}
          name="signature"
          label={t('signature')}
          required
          lines={4}
          mono
          spellcheck={false}
          placeholder={signatureHint}
        />
        <button class="btn btn-sm" type="submit">
          {t('verify')}
        </button>
      </form>
    </details>
  );
}

function KeyRow(props: { item: GpgKey } & Pick<Props, 'emails' | 'isFixed' | 'token' | 'path'>): VNode {
  const { item, emails, isFixed, path } = props;
  const expired = item.expiresAt > 0 && item.expiresAt < Date.now();
  const addresses = ownAddresses(item, emails);
  return (
    <li class="Box-row">
      <div class="d-flex flex-items-start">
        <div class="flex-auto min-width-0">
          <strong class="text-mono">{item.keyId}</strong>{' '}
          {item.verified ? <span class="Label Label--success">{t('verified')}</span> : null}{' '}
          {expired ? <span class="Label Label--danger">{t('expired')}</span> : null}
          <div class="f6">{addresses.map((one) => one.email).join(', ') || t('noAddress')}</div>
          <div class="text-mono f6 color-fg-muted wb-break-word">{grouped(item.fingerprint)}</div>
          {item.subkeys.length > 0 ? (
            <div class="f6 color-fg-muted">
              {t.rich('subkeys', {
                keys: <span class="text-mono">{item.subkeys.map((one) => one.keyId).join(', ')}</span>,
              })}
            </div>
          ) : null}
          <div class="f6 color-fg-muted">
            {t.rich('added', { when: <Ago time={item.addedAt} /> })}
            {item.expiresAt > 0 ? ' · ' : ''}
            {item.expiresAt > 0 ? t(expired ? 'expiredOn' : 'validUntil', { date: formatDate(item.expiresAt) }) : ''}
          </div>
          {item.verified || isFixed ? null : <Prove {...props} />}
        </div>
        {isFixed ? null : (
          <PostButton
            action={path('/user/settings/gpg_keys/delete')}
            fields={{ id: item.id }}
            label={t('deleteOf', { name: item.keyId })}
            danger
            formClass="ml-2"
            confirm={t('deleteConfirm')}
          >
            {t('delete')}
          </PostButton>
        )}
      </div>
    </li>
  );
}

/** GPG keys in the settings of an account. */
const GpgKeyForms = (props: Props): VNode => (
  <div>
    <Section title={t('title')}>
      {props.keys.length === 0 ? (
        <Blankslate title={t('none')} icon="verified" level={3}>
          <p>{t('noneText')}</p>
        </Blankslate>
      ) : (
        <ul class="Box mb-3 list-style-none">
          {props.keys.map((item) => (
            <KeyRow key={item.id} {...props} item={item} />
          ))}
        </ul>
      )}
    </Section>
    {props.isFixed ? (
      <p class="color-fg-muted">{t('fixed')}</p>
    ) : (
      <Section title={t('add')}>
        <form method="post" action={props.path('/user/settings/gpg_keys')}>
          <Csrf />
          <TextField
            id="gpg-key"
            name="key"
            label={t('key')}
            value={props.draft?.key}
            required
            lines={8}
            mono
            spellcheck={false}
            placeholder={keyHint}
            note={t.rich('keyNote', { code: (children) => <code>{children}</code> })}
          />
          <details open={Boolean(props.draft)}>
            <summary class="Link--primary">{t('otherAddress')}</summary>
            <p class="f6 color-fg-muted mt-2 mb-1">{t('otherText')}</p>
            <Signing token={props.token} />
            <TextField
              id="gpg-signature"
              name="signature"
              label={t('signature')}
              value={props.draft?.signature}
              lines={5}
              mono
              spellcheck={false}
              placeholder={signatureHint}
            />
          </details>
          <button class="btn btn-primary mt-3" type="submit">
            {t('add')}
          </button>
        </form>
      </Section>
    )}
  </div>
);

interface Services {
  readonly accountFeatures: AccountFeatures;
  readonly accounts: Accounts;
  readonly emails: Emails;
  readonly gpgKeys: GpgKeys;
  readonly settingsPage: SettingsPage;
  readonly site: Site;
}

const at = '/user/settings/gpg_keys';
const text = Joi.string()
  .allow('')
  .max(1 << 20)
  .default('');

/** `/user/settings/gpg_keys`; forms that work without scripts. */
export const gpgPageRoutes = ({
  accountFeatures,
  accounts,
  emails,
  gpgKeys,
  settingsPage,
  site,
}: Services): readonly Route[] => {
  const path = (to: string) => site.path(to);
  const show = async (
    { actor }: Pick<RouteContext, 'actor'>,
    more: { flash?: PageOptions['flash']; status?: number; draft?: { key?: string; signature?: string } } = {},
  ) => {
    const account = await accounts.byId(actor.id);
    const keys = await gpgKeys.list({ userId: actor.id, limit: 500, offset: 0 });
    return settingsPage({
      active: 'gpg-keys',
      title: t.later('title'),
      actor,
      flash: more.flash,
      status: more.status,
      body: (
        <GpgKeyForms
          keys={keys.items}
          isFixed={account !== undefined && (await accountFeatures.isOff(account, 'manage_gpg_keys'))}
          emails={await emails.list(actor.id)}
          token={gpgKeys.token(actor.id)}
          path={path}
          draft={more.draft}
        />
      ),
    });
  };
  const form = <T,>(
    to: string,
    schema: Joi.ObjectSchema<T>,
    run: (submitted: { readonly actor: Actor; readonly payload: T }) => Promise<unknown>,
  ): Route =>
    postRoute(to, { actor: 'user' }, async (context) => {
      const { value, error: wrong } = schema.validate(context.payload ?? {}, { stripUnknown: true });
      try {
        if (wrong) throw new Problem('invalid', wrong.message);
        await accountFeatures.check(context.actor.id, 'manage_gpg_keys');
        await run({ actor: context.actor, payload: value });
        return reply.redirect(path(`${at}?saved`), 303);
      } catch (error) {
        if (!Problem.is(error)) throw error;
        return show(context, {
          flash: { kind: 'error', text: error.text },
          status: error.status,
          draft: to === at ? value : undefined,
        });
      }
    });
  return [
    pageRoute(at, { actor: 'user' }, (context) =>
      show(context, context.query.saved === undefined ? {} : { flash: { kind: 'success', text: t.later('saved') } }),
    ),
    form(
      at,
      Joi.object<{ readonly key: string; readonly signature: string }>({ key: text, signature: text }),
      ({ actor, payload }) => gpgKeys.add(actor.id, payload.key, payload.signature || undefined),
    ),
    form(
      `${at}/verify`,
      Joi.object<{ readonly key_id: string; readonly signature: string }>({ key_id: text, signature: text }),
      ({ actor, payload }) => gpgKeys.prove(actor.id, payload.key_id, payload.signature),
    ),
    form(
      `${at}/delete`,
      Joi.object<{ readonly id: number }>({ id: Joi.number().integer().required() }),
      async ({ actor, payload }) => {
        const key = await gpgKeys.byId(payload.id);
        if (key && key.userId === actor.id) await gpgKeys.remove(key.id);
      },
    ),
  ];
};
