import type { VNode } from 'preact';
import {
  Ago,
  Blankslate,
  CheckField,
  CopyButton,
  Csrf,
  formStatus,
  formText,
  Joi,
  listHref,
  pageRoute,
  PostButton,
  postRoute,
  Problem,
  refusedFlash,
  reply,
  savedFlash,
  Section,
  SelectField,
  TextField,
  type Flash,
  type FormValues,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { LoginSources } from '@mortise/accounts/api';
import type { AdminPage } from '@mortise/admin/api';
import { basePath } from '../services/token-method.js';
import { maxName, type NamedScimToken, type NewScimToken, type ScimTokens } from '../services/tokens.js';
import { t } from '../texts/index.js';

const address = '/-/admin/scim';

interface PageProps {
  readonly tokens: readonly NamedScimToken[];
  readonly sources: readonly string[];
  /** PageState once, right after it was made. */
  readonly secret: string | undefined;
  /** What stands in the form. */
  readonly sent: NewScimToken;
  /** What the provider has to be told. */
  readonly endpoint: string;
  readonly path: (path: string) => string;
}

const NewSecret = ({ secret }: { secret: string }): VNode => (
  <div class="flash flash-success mb-4">
    <p class="mb-1">{t('secret.copy')}</p>
    <div class="d-flex gap-2">
      <input
        class="form-control flex-auto min-width-0 text-mono"
        value={secret}
        readonly
        aria-label={t('secret.label')}
        autofocus
      />
      <CopyButton text={secret} label={t('secret.copyButton')} />
    </div>
  </div>
);

const TokenItem = ({ token, path }: Pick<PageProps, 'path'> & { token: NamedScimToken }): VNode => {
  const { id, name, organization, loginSource, managesAdministrators, createdAt, lastUsedAt } = token;
  return (
    <li class="Box-row d-flex flex-wrap gap-2">
      <div class="list-main">
        <strong class="wb-break-word">{name}</strong>{' '}
        {managesAdministrators ? <span class="Label Label--attention">{t('list.administrators')}</span> : null}
        <div class="color-fg-muted f6 wb-break-word">
          {organization ? t('list.organization', { name: organization }) : t('list.noOrganization')}
          {' · '}
          {loginSource ? t('list.loginSource', { name: loginSource }) : t('list.noLoginSource')}
        </div>
        <div class="color-fg-muted f6">
          {t.rich('list.created', { when: <Ago time={createdAt} /> })}
          {' · '}
          {lastUsedAt > 0 ? t.rich('list.used', { when: <Ago time={lastUsedAt} /> }) : t('list.neverUsed')}
        </div>
      </div>
      <div class="d-flex flex-items-start gap-2">
        <PostButton
          action={path(`${address}/renew`)}
          fields={{ id }}
          label={t('list.renewOf', { name })}
          confirm={t('list.renewConfirm', { name })}
        >
          {t('list.renew')}
        </PostButton>
        <PostButton
          action={path(`${address}/delete`)}
          fields={{ id }}
          label={t('list.deleteOf', { name })}
          confirm={t('list.deleteConfirm', { name })}
          danger
        >
          {t('list.delete')}
        </PostButton>
      </div>
    </li>
  );
};

const TokensPage = ({ tokens, sources, secret, sent, endpoint, path }: PageProps): VNode => (
  <>
    {secret ? <NewSecret secret={secret} /> : null}
    <Section title={t('title')}>
      <p class="color-fg-muted">{t('note')}</p>
      <p>{t.rich('endpoint', { address: <code class="wb-break-all">{endpoint}</code> })}</p>
      {tokens.length === 0 ? (
        <Blankslate level={3} title={t('list.none')} icon="sync" />
      ) : (
        <ul class="Box list-style-none">
          {tokens.map((token) => (
            <TokenItem key={token.id} token={token} path={path} />
          ))}
        </ul>
      )}
    </Section>
    <Section title={t('form.new')}>
      <form method="post" action={path(address)}>
        <Csrf />
        <TextField name="name" label={t('form.name')} required maxLength={maxName} value={sent.name} />
        <TextField
          name="organization"
          label={t('form.organization')}
          note={t('form.organizationNote')}
          maxLength={40}
          value={sent.organization}
        />
        <SelectField
          name="login_source"
          label={t('form.loginSource')}
          note={t('form.loginSourceNote')}
          value={sent.loginSource}
          options={[['', t('form.noLoginSource')], ...sources.map((name) => [name, name] as const)]}
        />
        <CheckField
          name="manages_administrators"
          label={t('form.administrators')}
          note={t('form.administratorsNote')}
          checked={sent.managesAdministrators}
        />
        <button class="btn btn-primary mt-2" type="submit">
          {t('form.add')}
        </button>
      </form>
    </Section>
  </>
);

interface Services {
  readonly adminPage: AdminPage;
  readonly loginSources: LoginSources;
  readonly scimTokens: ScimTokens;
  readonly site: Site;
}

const access = { actor: 'admin' } as const;
const ofToken = { payload: Joi.object<{ readonly id: number }>({ id: Joi.number().integer().min(1).required() }) };
const empty: NewScimToken = { name: '', organization: '', loginSource: '', managesAdministrators: false };

const sentOf = (values: FormValues): NewScimToken => ({
  name: formText(values, 'name', maxName + 1),
  organization: formText(values, 'organization', 100),
  loginSource: formText(values, 'login_source', 100),
  managesAdministrators: formText(values, 'manages_administrators') === 'true',
});

interface PageState {
  readonly flash?: Flash | undefined;
  readonly secret?: string;
  readonly sent?: NewScimToken;
}

/** `/-/admin/scim`: tokens of identity providers. */
export function tokenPages({ adminPage, loginSources, scimTokens, site }: Services): readonly Route[] {
  const path = (to: string) => site.path(to);
  const page = async ({ actor }: Pick<RouteContext, 'actor'>, { flash, secret, sent = empty }: PageState) => {
    const tokens = await scimTokens.listNamed();
    const sources = await loginSources.list();
    return adminPage({
      active: 'scim',
      title: t.later('title'),
      actor,
      flash,
      status: formStatus(flash),
      body: (
        <TokensPage
          tokens={tokens}
          sources={sources.map(({ name }) => name)}
          secret={secret}
          sent={sent}
          endpoint={site.url(basePath)}
          path={path}
        />
      ),
    });
  };
  return [
    pageRoute(address, access, (context) => page(context, { flash: savedFlash(context.query) })),
    postRoute(address, access, async (context) => {
      const sent = sentOf(context.payload as FormValues);
      try {
        return await page(context, { secret: (await scimTokens.create(sent)).secret });
      } catch (error) {
        if (!Problem.is(error)) throw error;
        return page(context, { flash: refusedFlash(error), sent });
      }
    }),
    postRoute(
      `${address}/renew`,
      access,
      async (context) => page(context, { secret: (await scimTokens.renew(context.payload.id)).secret }),
      ofToken,
    ),
    postRoute(
      `${address}/delete`,
      access,
      async ({ payload: { id } }) => {
        const { name } = await scimTokens.byId(id);
        await scimTokens.delete(id);
        return reply.redirect(listHref(path(address), { deleted: name }), 303);
      },
      ofToken,
    ),
  ];
}
