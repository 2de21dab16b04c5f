import {
  actOrigins,
  icon,
  listHref,
  NotFound,
  pageRoute,
  Problem,
  reply,
  webPage,
  type Site,
  type Slot,
  type Logger,
  type Reply,
  type Route,
  type RouteContext,
  type Text,
  type EncryptedCookie,
} from '@mortise/plugin-sdk';
import { preferredLanguage, type LoginSources, type Account, type Accounts } from '@mortise/accounts/api';
import { activeSources, startPath, activeSource, callbackUrl, anyoneAccess } from '../routes/active-sources.js';
import { t } from '../texts/index.js';
import type { SignInFlow } from '@mortise/sessions/api';
import { FailedPage } from './failed.js';
import type { OAuth2Activation } from '../services/activation.js';
import type { OAuth2Provisioner } from '../services/provisioner.js';
import { pendingSpanMs, type PendingSignIns } from '../services/pending-sign-ins.js';
import { ProviderError, textOfError, type Attempt, type ProviderClient, type Source } from '../services/client.js';
import { hasRequiredClaim, identityOf, type Identity } from '../services/identity.js';
import type { Links } from '../services/links.js';
import type { ClientSettings } from '../settings.js';

interface Props {
  readonly source: string;
  readonly iconUrl: string;
  readonly href: string;
}

const SourceLink = ({ source, iconUrl, href }: Props) => (
  <a class="btn btn-block mt-3 wb-break-word" href={href}>
    {iconUrl ? (
      <img class="mr-2 v-align-middle" src={iconUrl} width="16" height="16" alt="" referrerpolicy="no-referrer" />
    ) : (
      icon('sign-in', { class: 'mr-2' })
    )}
    {t('signIn.with', { source })}
  </a>
);

/** A button for each provider on the sign-in page. */
export const sourceLinks = (loginSources: LoginSources, site: Site): Slot<{ readonly redirectTo: string }> => ({
  key: 'oauth2',
  order: 50,
  async render({ redirectTo }) {
    const sources = await activeSources(loginSources);
    if (sources.length === 0) return null;
    return (
      <div>
        {sources.map(({ id, name, settings }) => (
          <SourceLink
            key={id}
            source={name}
            iconUrl={settings.iconUrl}
            href={listHref(site.path(startPath(name)), { redirect_to: redirectTo || undefined })}
          />
        ))}
      </div>
    );
  },
});

/** What the browser keeps while the person is at the provider. */
export interface SignInRequest extends Attempt {
  readonly source: number;
  /** Where they want to go: a path of this site, or empty. */
  readonly to: string;
  /** Account that they want to add this way in to; 0: they sign in. */
  readonly user: number;
}

export interface SignInDeps {
  readonly accounts: Accounts;
  readonly loginSources: LoginSources;
  readonly signInFlow: SignInFlow;
  readonly client: ProviderClient;
  readonly provisioner: OAuth2Provisioner;
  readonly activation: OAuth2Activation;
  readonly pendingSignIns: PendingSignIns;
  readonly links: Links;
  readonly signInRequests: EncryptedCookie<SignInRequest>;
  readonly site: Site;
  readonly log: Pick<Logger, 'warn' | 'info'>;
}

export const pendingCookie = 'mortise_oauth2_pending';
const pendingCookieOptions = { httpOnly: true, maxAge: pendingSpanMs / 1000 };
/** Key of the sign-in action that ties somebody of a provider to an account. */
export const linkAction = 'auth-oauth2.link';
const linkedPath = '/user/settings/linked_accounts';

/** Steps that the source makes needless. */
const passedBy = ({ skipsSecondFactor }: Source) => (skipsSecondFactor ? ['second-factor'] : []);

/** A page that says why somebody is not signed in. */
export const makeFailedPage =
  (site: Site) =>
  (text: Text, status: number, to = '/user/login') =>
    webPage({
      title: t.later('failed.title'),
      width: 'narrow',
      status,
      headers: { 'cache-control': 'no-store' },
      body: <FailedPage text={text} href={site.path(to)} isSignIn={to === '/user/login'} />,
    });

/** Sends the browser to the provider. Throws {@link ProviderError}. */
export async function startSignIn(
  { client, signInRequests, site }: Pick<SignInDeps, 'client' | 'signInRequests' | 'site'>,
  source: Source,
  { to, user }: Pick<SignInRequest, 'to' | 'user'>,
): Promise<{ readonly url: string; readonly cookie: readonly [string, string, object] }> {
  const attempt = await client.newAttempt();
  const url = await client.authorizationUrl(source, attempt, callbackUrl(site, source));
  const signInRequest = { ...attempt, source: source.id, to, user };
  return { url: url.href, cookie: [signInRequests.name, signInRequests.write(signInRequest), signInRequests.options] };
}

/** What becomes of somebody who has come back from a provider. */
class ProviderCallback {
  readonly #settings: ClientSettings;
  readonly #deps: SignInDeps;
  readonly #failed: ReturnType<typeof makeFailedPage>;

  constructor(settings: ClientSettings, deps: SignInDeps) {
    this.#settings = settings;
    this.#deps = deps;
    this.#failed = makeFailedPage(deps.site);
  }

  providerFailed(error: ProviderError, source: Source, to?: string) {
    if (error.code !== 'denied')
      this.#deps.log.warn('sign-in with a provider failed', { event: 'oauth2.signIn', source: source.name, error });
    return this.#failed(textOfError(error), error.code === 'unreachable' ? 503 : 401, to);
  }

  /** Who has come back; forbidden where the source does not let them in. */
  async #identify(source: Source, signInRequest: SignInRequest, answer: URLSearchParams): Promise<Identity> {
    const { client, log, site } = this.#deps;
    const claims = await client.claims(source, signInRequest, callbackUrl(site, source), answer);
    const identity = identityOf(claims, source.settings, this.#settings.USERNAME);
    if (!identity) throw new ProviderError('invalid', '');
    if (!hasRequiredClaim(claims, source.settings))
      throw new Problem('forbidden', t.later('error.claim', { source: source.name }));
    if (source.settings.groupClaimName && !identity.said.groups)
      log.info('kept rights and teams, since a provider left out the groups of a user', {
        event: 'oauth2.noGroups',
        source: source.name,
        user: identity.subject,
      });
    return identity;
  }

  async #awaitActivation(context: RouteContext, account: Account) {
    const { activation } = this.#deps;
    if (!(await activation.isAwaited(account))) return this.#failed(t.later('activate.byAdmin'), 403);
    const isSent = await activation.send(account, context.remoteAddress, preferredLanguage(context));
    return this.#failed(
      isSent ? t.later('activate.sent', { email: account.email }) : t.later('activate.sentBefore'),
      isSent ? 200 : 429,
    );
  }

  /** Leads on to choosing the account, or making one. */
  async #ask(source: Source, identity: Identity, redirectTo: string): Promise<Reply> {
    const pending = await this.#deps.pendingSignIns.store({ source, identity, redirectTo });
    const to = this.#deps.site.path('/user/link_account');
    return reply.redirect(to).cookie(pendingCookie, pending, pendingCookieOptions);
  }

  async #signIn(context: RouteContext, source: Source, identity: Identity, redirectTo: string) {
    const { accounts, activation, pendingSignIns, provisioner, signInFlow } = this.#deps;
    const outcome = await provisioner.provision(source, identity);
    if (outcome.kind === 'ask') return this.#ask(source, identity, redirectTo);
    if (outcome.kind === 'made' && outcome.waitsFor !== undefined)
      return outcome.waitsFor === 'mail'
        ? this.#awaitActivation(context, outcome.account)
        : this.#failed(t.later('activate.byAdmin'), 200);
    const signIn = { remember: false, redirectTo, by: 'oauth2', sourceId: source.id };
    if (outcome.kind === 'known' && outcome.isNewLink) {
      // whoever has a second factor shows it once before a provider can stand for them
      const data = await pendingSignIns.store({ source, identity, redirectTo });
      return signInFlow.begin(context, { ...signIn, account: outcome.account, action: { key: linkAction, data } });
    }
    if (await activation.isAwaited(outcome.account)) return this.#awaitActivation(context, outcome.account);
    const refusal = accounts.refusal({ ...outcome.account, mustChangePassword: false });
    if (refusal) return this.#failed(refusal, 403);
    const account =
      outcome.kind === 'known' ? await provisioner.refresh(source, outcome.account, identity) : outcome.account;
    return signInFlow.begin(context, { ...signIn, account, passed: passedBy(source) });
  }

  /** Adds a way in to the account that set out for it. */
  async #link({ actor }: RouteContext, source: Source, identity: Identity, userId: number) {
    const { accounts, links, site } = this.#deps;
    const account = actor.kind === 'user' && actor.id === userId ? await accounts.byId(actor.id) : undefined;
    if (!account) return this.#failed(t.later('error.otherAccount'), 403, linkedPath);
    await links.add(source, account, identity);
    return reply.redirect(site.path(`${linkedPath}?saved=1`));
  }

  async #finish(context: RouteContext, source: Source, signInRequest: SignInRequest) {
    const back = signInRequest.user ? linkedPath : undefined;
    try {
      const identity = await this.#identify(source, signInRequest, context.raw.request.url.searchParams);
      return signInRequest.user
        ? await this.#link(context, source, identity, signInRequest.user)
        : await this.#signIn(context, source, identity, signInRequest.to);
    } catch (error) {
      if (error instanceof ProviderError) return this.providerFailed(error, source, back);
      if (Problem.is(error)) return this.#failed(error.text, error.status, back);
      throw error;
    }
  }

  async receive(context: RouteContext, source: Source) {
    const { signInRequests } = this.#deps;
    const signInRequest = signInRequests.read(context.cookies);
    const state = context.raw.request.url.searchParams.get('state');
    // the state belongs to this browser and this source, and is good once
    if (!signInRequest || signInRequest.source !== source.id || state !== signInRequest.state)
      return this.#failed(t.later('error.state'), 400);
    const answered = await this.#finish(context, source, signInRequest);
    return 'cookie' in answered ? answered.cookie(signInRequests.name, null) : answered;
  }
}

const startPage = (deps: SignInDeps, callback: ProviderCallback): Route =>
  pageRoute('/user/oauth2/{source}', anyoneAccess, async ({ actor, params, query }) => {
    const { loginSources, signInFlow, site } = deps;
    const to = signInFlow.safeTarget((query as { readonly redirect_to?: unknown }).redirect_to);
    if (actor.kind === 'user') return reply.redirect(to || site.path('/'));
    const source = await activeSource(loginSources, params.source);
    if (!source) throw NotFound('login source');
    try {
      const { url, cookie } = await startSignIn(deps, source, { to, user: 0 });
      return reply.redirect(url).cookie(...cookie);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      return callback.providerFailed(error, source);
    }
  });

const callbackPage = ({ loginSources }: SignInDeps, callback: ProviderCallback): Route =>
  pageRoute('/user/oauth2/{source}/callback', anyoneAccess, async (context) => {
    const source = await activeSource(loginSources, context.params.source);
    if (!source) throw NotFound('login source');
    const { actor, remoteAddress } = context;
    const origin = { actor, remoteAddress, surface: 'page', plugin: 'auth-oauth2' } as const;
    return actOrigins.run(origin, () => callback.receive(context, source));
  });

/** `/user/oauth2/{source}` and its callback. */
export const signInPages =
  (settings: ClientSettings) =>
  (deps: SignInDeps): readonly Route[] => {
    const callback = new ProviderCallback(settings, deps);
    return [startPage(deps, callback), callbackPage(deps, callback)];
  };
