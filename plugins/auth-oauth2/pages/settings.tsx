import {
  Ago,
  Blankslate,
  bold,
  Csrf,
  Forbidden,
  formId,
  formRoute,
  formStatus,
  Invalid,
  Joi,
  NotFound,
  pageRoute,
  PostButton,
  postRoute,
  refusedFlash,
  reply,
  savedFlash,
  Section,
  TextField,
  webPage,
  type Flash,
  type FormValues,
  type Route,
  type RouteContext,
  type Site,
  type EncryptedCookie,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { Link, Links } from '../services/links.js';
import { t } from '../texts/index.js';
import type { Account, AccountFeatures, Accounts, LoginSources, SettingsPage } from '@mortise/accounts/api';
import type { OwnerConfirmation } from '@mortise/sessions/api';
import { ProviderError, textOfError, type ProviderClient } from '../services/client.js';
import { activeSources, callbackUrl } from '../routes/active-sources.js';
import { startSignIn, type SignInRequest } from './sign-in.js';

interface Props {
  /** With the name of their source. */
  readonly links: readonly (Link & { readonly source: string })[];
  /** The source that made the account; undefined: none did. */
  readonly own: string | undefined;
  readonly sources: readonly { readonly id: number; readonly name: string }[];
  readonly hasPassword: boolean;
  readonly path: (path: string) => string;
}

const base = '/user/settings/linked_accounts';

const LinkItem = ({ link, path }: { link: Props['links'][number] } & Pick<Props, 'path'>): VNode => (
  <div class="Box-row d-flex flex-items-center">
    <div class="flex-auto min-width-0 wb-break-word">
      <strong>{link.source}</strong> <span>{link.name}</span>
      <div class="f6 color-fg-muted">
        {t.rich('links.added', { when: <Ago time={link.createdAt} /> })} ·{' '}
        {link.lastUsedAt > 0 ? t.rich('links.used', { when: <Ago time={link.lastUsedAt} /> }) : t('links.neverUsed')}
      </div>
    </div>
    <PostButton
      action={path(`${base}/remove`)}
      fields={{ id: link.id }}
      label={t('links.removeOf', { source: link.source, name: link.name })}
      danger
    >
      {t('links.remove')}
    </PostButton>
  </div>
);

/** `/user/settings/linked_accounts`: the providers that somebody may sign in with. */
const LinkedAccounts = ({ links, own, sources, hasPassword, path }: Props): VNode => (
  <>
    <Section title={t('links.heading')}>
      <p class="color-fg-muted">{t('links.note')}</p>
      {own === undefined ? null : <p class="wb-break-word">{t.rich('links.own', { source: own, b: bold })}</p>}
      <div class="Box">
        {links.length === 0 ? <Blankslate title={t('links.none')} plain level={3} /> : null}
        {links.map((link) => (
          <LinkItem key={link.id} link={link} path={path} />
        ))}
      </div>
    </Section>
    {sources.length === 0 ? null : (
      <Section title={t('links.add')}>
        <form method="post" action={path(`${base}/add`)}>
          <Csrf />
          {hasPassword ? (
            <TextField
              name="password"
              id="field-link-password"
              type="password"
              required
              label={t('links.password')}
              autocomplete="current-password"
            />
          ) : null}
          <div class="d-flex flex-wrap gap-2">
            {sources.map(({ id, name }) => (
              <button class="btn" type="submit" name="source" value={String(id)} key={id}>
                {t('links.addOf', { source: name })}
              </button>
            ))}
          </div>
        </form>
      </Section>
    )}
  </>
);

/** Where a form cannot lead to by itself: the browser goes on to the provider. */
const LeadOnPage = ({ source, address }: { source: string; address: string }): VNode => (
  <div class="mx-auto py-5 px-3 narrow-form">
    <p>{t('links.leading', { source })}</p>
    <a class="btn btn-block" href={address}>
      {t('links.goOn', { source })}
    </a>
  </div>
);

interface Deps {
  readonly accounts: Accounts;
  readonly accountFeatures: AccountFeatures;
  readonly loginSources: LoginSources;
  readonly links: Links;
  readonly ownerConfirmation: OwnerConfirmation;
  readonly client: ProviderClient;
  readonly signInRequests: EncryptedCookie<SignInRequest>;
  readonly settingsPage: SettingsPage;
  readonly site: Site;
}

const home = '/user/settings/linked_accounts';
const access = { actor: 'user' } as const;

/** What these routes share. */
function linkSettingsContext(deps: Deps) {
  const { accounts, accountFeatures, loginSources, links, ownerConfirmation, settingsPage, site } = deps;
  const path = (to: string) => site.path(to);
  const self = async ({ actor }: Pick<RouteContext, 'actor'>): Promise<Account> => {
    const account = await accounts.byId(actor.id);
    if (!account) throw NotFound('user');
    return account;
  };
  const page = async (context: RouteContext, flash?: Flash) => {
    const account = await self(context);
    const sources = await loginSources.list({ kind: 'oauth2' });
    const nameOf = (id: number) => sources.find((one) => one.id === id)?.name;
    const all = (await links.list(account.id)).map((link) => ({ ...link, source: nameOf(link.sourceId) ?? '' }));
    return settingsPage({
      active: 'linked-accounts',
      title: t.later('links.title'),
      actor: context.actor,
      flash,
      status: formStatus(flash),
      body: (
        <LinkedAccounts
          links={all}
          own={nameOf(account.sourceId)}
          sources={sources.filter(({ isActive }) => isActive)}
          hasPassword={await ownerConfirmation.hasPassword(account.id)}
          path={path}
        />
      ),
    });
  };
  return { page, accountFeatures, self, loginSources, ownerConfirmation, deps, path, site, links };
}

type LinkSettingsPageContext = ReturnType<typeof linkSettingsContext>;

const homePage = ({ page }: LinkSettingsPageContext) =>
  pageRoute(home, access, (context) => page(context, savedFlash(context.query)));

const addForm = ({
  accountFeatures,
  self,
  loginSources,
  ownerConfirmation,
  deps,
  path,
  page,
}: LinkSettingsPageContext) =>
  postRoute(
    `${home}/add`,
    access,
    async (context) => {
      const values = context.payload as FormValues;
      const { actor, remoteAddress } = context;
      try {
        await accountFeatures.check(actor.id, 'manage_credentials');
        const account = await self(context);
        if (actor.method !== 'session' && actor.method !== 'test') throw Forbidden(t.later('error.session'));
        const id = formId(values, 'source');
        const source = (await activeSources(loginSources)).find((one) => one.id === id);
        if (!source) throw NotFound('login source');
        // rawer than formText: a password may begin with a space
        const password = typeof values.password === 'string' ? values.password.slice(0, 2048) : '';
        await ownerConfirmation.check(actor, password, remoteAddress, 'field-link-password');
        const { cookie } = await startSignIn(deps, source, { to: '', user: account.id });
        return reply.redirect(path(`${home}/go`)).cookie(...cookie);
      } catch (error) {
        return page(context, flashOf(error));
      }
    },
    { payload: Joi.object().unknown() },
  );

const goPage = ({ deps, loginSources, path, site, page }: LinkSettingsPageContext) =>
  pageRoute(`${home}/go`, access, async (context) => {
    const signInRequest = deps.signInRequests.read(context.cookies);
    const source = (await activeSources(loginSources)).find((one) => one.id === signInRequest?.source);
    if (!source || signInRequest?.user !== context.actor.id) return reply.redirect(path(home));
    try {
      const { href } = await deps.client.authorizationUrl(source, signInRequest, callbackUrl(site, source));
      return webPage({
        title: t.later('links.title'),
        width: 'narrow',
        // a form may lead nowhere else (CSP), a page may
        headers: { refresh: `0; url=${href}`, 'cache-control': 'no-store' },
        body: <LeadOnPage source={source.name} address={href} />,
      });
    } catch (error) {
      return page(context, flashOf(error));
    }
  });

const removeForm = ({ accountFeatures, self, links, path, page }: LinkSettingsPageContext) =>
  formRoute(
    `${home}/remove`,
    access,
    async (context, values) => {
      await accountFeatures.check(context.actor.id, 'manage_credentials');
      const account = await self(context);
      const own = await links.list(account.id);
      // somebody with no other way in would be shut out
      if (account.sourceId === 0 && !account.hasPassword && own.length <= 1) throw Invalid(t.later('error.lastWayIn'));
      await links.remove(account.id, formId(values, 'id'));
      return path(`${home}?saved=1`);
    },
    (context, _values, flash) => page(context, flash),
  );

/** Providers that somebody may sign in with, and adding one. */
export function linkSettingsPages(deps: Deps): readonly Route[] {
  const context = linkSettingsContext(deps);
  return [homePage(context), addForm(context), goPage(context), removeForm(context)];
}

const flashOf = (error: unknown): Flash =>
  error instanceof ProviderError ? { kind: 'error', text: textOfError(error) } : refusedFlash(error);
