import {
  defineRoute,
  NotFound,
  Problem,
  reply,
  type Logger,
  type Reply,
  type Route,
  type RouteContext,
  type Site,
  type Text,
  webPage,
} from '@mortise/plugin-sdk';
import { preferredLanguage, type Account, type Accounts, type LoginSources } from '@mortise/accounts/api';
import type { SignInFlow } from '@mortise/sessions/api';
import { FailedPage } from '../pages/failed.js';
import type { OAuth2Activation } from '../services/activation.js';
import type { OAuth2Provisioner } from '../services/provisioner.js';
import { pendingSpanMs, type PendingSignIns } from '../services/pending-sign-ins.js';
import { ProviderError, textOfError, type Attempt, type ProviderClient, type Source } from '../services/client.js';
import { hasRequiredClaim, identityOf, type Identity } from '../services/identity.js';
import type { Links } from '../services/links.js';
import type { EncryptedCookie } from '../services/encrypted-cookie.js';
import type { ClientSettings } from '../settings.js';
import { t } from '../texts/index.js';
import { activeSource, callbackUrl, anyoneAccess } from './active-sources.js';

/** What the browser keeps while the person is at the provider. */
export interface Departure extends Attempt {
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
  readonly departures: EncryptedCookie<Departure>;
  readonly site: Site;
  readonly log: Pick<Logger, 'warn' | 'info'>;
}

export const arrivalCookie = 'mortise_oauth2_arrival';
export const arrivalCookieOptions = { httpOnly: true, maxAge: pendingSpanMs / 1000 };
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
export async function depart(
  { client, departures, site }: Pick<SignInDeps, 'client' | 'departures' | 'site'>,
  source: Source,
  { to, user }: Pick<Departure, 'to' | 'user'>,
): Promise<{ readonly url: string; readonly cookie: readonly [string, string, object] }> {
  const attempt = await client.newAttempt();
  const url = await client.authorizationUrl(source, attempt, callbackUrl(site, source));
  const departure = { ...attempt, source: source.id, to, user };
  return { url: url.href, cookie: [departures.name, departures.write(departure), departures.options] };
}

/** `/user/oauth2/{source}` and its callback. */
export const signInPages =
  (settings: ClientSettings) =>
  (deps: SignInDeps): readonly Route[] => {
    const { accounts, loginSources, signInFlow, client, provisioner } = deps;
    const { activation, pendingSignIns, links, departures, site, log } = deps;
    const failed = makeFailedPage(site);
    const providerFailed = (error: ProviderError, source: Source, to?: string) => {
      if (error.code !== 'denied') log.warn('a sign-in with a provider failed', { source: source.name, error });
      return failed(textOfError(error), error.code === 'unreachable' ? 503 : 401, to);
    };

    /** Who has come back; undefined: the source does not let them in. */
    const identify = async (source: Source, departure: Departure, answer: URLSearchParams): Promise<Identity> => {
      const claims = await client.claims(source, departure, callbackUrl(site, source), answer);
      const identity = identityOf(claims, source.settings, settings.USERNAME);
      if (!identity) throw new ProviderError('invalid', '');
      if (!hasRequiredClaim(claims, source.settings))
        throw new Problem('forbidden', t.later('error.claim', { source: source.name }));
      return identity;
    };

    const awaited = async (context: RouteContext, account: Account) => {
      if (!(await activation.isAwaited(account))) return failed(t.later('activate.byAdmin'), 403);
      const isSent = await activation.send(account, context.remoteAddress, preferredLanguage(context));
      return failed(
        isSent ? t.later('activate.sent', { email: account.email }) : t.later('activate.sentBefore'),
        isSent ? 200 : 429,
      );
    };

    const ask = async (source: Source, identity: Identity, to: string): Promise<Reply> =>
      reply
        .redirect(site.path('/user/link_account'))
        .cookie(arrivalCookie, await pendingSignIns.store({ source, identity, redirectTo: to }), arrivalCookieOptions);

    const signIn = async (context: RouteContext, source: Source, identity: Identity, to: string) => {
      const outcome = await provisioner.provision(source, identity);
      if (outcome.kind === 'ask') return ask(source, identity, to);
      if (outcome.kind === 'made' && outcome.waitsFor !== undefined)
        return outcome.waitsFor === 'mail'
          ? awaited(context, outcome.account)
          : failed(t.later('activate.byAdmin'), 200);
      const arriving = { remember: false, redirectTo: to, by: 'oauth2', sourceId: source.id };
      if (outcome.kind === 'known' && outcome.isNewLink) {
        // whoever has a second factor shows it once before a provider can stand for them
        const data = await pendingSignIns.store({ source, identity, redirectTo: to });
        return signInFlow.begin(context, { ...arriving, account: outcome.account, action: { key: linkAction, data } });
      }
      if (await activation.isAwaited(outcome.account)) return awaited(context, outcome.account);
      const refusal = accounts.refusal({ ...outcome.account, mustChangePassword: false });
      if (refusal) return failed(refusal, 403);
      const account =
        outcome.kind === 'known' ? await provisioner.refresh(source, outcome.account, identity) : outcome.account;
      return signInFlow.begin(context, { ...arriving, account, passed: passedBy(source) });
    };

    const link = async ({ actor }: RouteContext, source: Source, identity: Identity, user: number) => {
      const account = actor.kind === 'user' && actor.id === user ? await accounts.byId(actor.id) : undefined;
      if (!account) return failed(t.later('error.otherAccount'), 403, linkedPath);
      await links.add(source, account, identity);
      return reply.redirect(site.path(`${linkedPath}?saved=1`));
    };

    return [
      defineRoute({
        method: 'GET',
        path: '/user/oauth2/{source}',
        access: anyoneAccess,
        handler: async ({ actor, params, query }) => {
          const to = signInFlow.safeTarget((query as { readonly redirect_to?: unknown }).redirect_to);
          if (actor.kind === 'user') return reply.redirect(to || site.path('/'));
          const source = await activeSource(loginSources, params.source);
          if (!source) throw NotFound('login source');
          try {
            const { url, cookie } = await depart(deps, source, { to, user: 0 });
            return reply.redirect(url).cookie(...cookie);
          } catch (error) {
            if (!(error instanceof ProviderError)) throw error;
            return providerFailed(error, source);
          }
        },
      }),
      defineRoute({
        method: 'GET',
        path: '/user/oauth2/{source}/callback',
        access: anyoneAccess,
        handler: async (context) => {
          const source = await activeSource(loginSources, context.params.source);
          if (!source) throw NotFound('login source');
          const answer = context.raw.request.url.searchParams;
          const departure = departures.read(context.cookies);
          // the state belongs to this browser and this source, and is good once
          if (!departure || departure.source !== source.id || answer.get('state') !== departure.state)
            return failed(t.later('error.state'), 400);
          const back = departure.user ? linkedPath : undefined;
          let answered;
          try {
            const identity = await identify(source, departure, answer);
            answered = departure.user
              ? await link(context, source, identity, departure.user)
              : await signIn(context, source, identity, departure.to);
          } catch (error) {
            if (error instanceof ProviderError) answered = providerFailed(error, source, back);
            else if (Problem.is(error)) answered = failed(error.text, error.status, back);
            else throw error;
          }
          return 'cookie' in answered ? answered.cookie(departures.name, null) : answered;
        },
      }),
    ];
  };
