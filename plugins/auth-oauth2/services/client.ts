import type * as OpenId from 'openid-client';
import { Problem, type Outbound } from '@mortise/plugin-sdk';
import type { LoginSource } from '@mortise/accounts/api';
import { t } from '../texts/index.js';
import { providerFetch } from './fetch.js';
import { namedHosts, providers, type ApiProvider, type Claims } from './providers.js';
import { listItems, type OAuth2Settings, type StoredSettings } from './source-settings.js';

export type Source = LoginSource<StoredSettings>;

/** What the browser keeps while the person is at the provider. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The provider refuses, or says something that it must not. */
export class ProviderError extends Error {
  constructor(
    readonly code: 'denied' | 'refused' | 'unreachable' | 'invalid',
    /** Word of the protocol, such as `server_error`; may be empty. */
    readonly detail: string,
    cause?: unknown,
  ) {
    super(`The provider could not be asked: ${code} ${detail}`.trim(), { cause });
  }
}

/** Loaded with the first sign-in. */
const library = () => import('openid-client');

/** For which what a provider says of itself is good. */
const cacheMs = 3_600_000;
const maxCached = 100;

interface Known {
  readonly updatedAt: number;
  readonly until: number;
  readonly configuration: Promise<OpenId.Configuration>;
}

/** Talks to providers: authorization code with PKCE, state, and for OpenID Connect nonce and ID token. */
export class ProviderClient {
  readonly #outbound: Outbound;
  readonly #known = new Map<number, Known>();

  constructor(
    outbound: Outbound,
    private readonly defaultScopes: string,
  ) {
    this.#outbound = outbound;
  }

  async newAttempt(): Promise<Attempt> {
    const openid = await library();
    return { state: openid.randomState(), nonce: openid.randomNonce(), verifier: openid.randomPKCECodeVerifier() };
  }

  /** Where the browser goes to. */
  async authorizationUrl(source: Source, attempt: Attempt, callback: string): Promise<URL> {
    const openid = await library();
    const configuration = await this.#configuration(source);
    const isOidc = providers[source.settings.provider].kind === 'oidc';
    return openid.buildAuthorizationUrl(configuration, {
      redirect_uri: callback,
      scope: this.#scopes(source).join(' '),
      state: attempt.state,
      code_challenge: await openid.calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: 'S256',
      ...(isOidc && { nonce: attempt.nonce }),
    });
  }

  /**
   * Who has come back. `answer`: the query of the callback, `callback` its address. Throws {@link ProviderError}.
   */
  async claims(source: Source, attempt: Attempt, callback: string, answer: URLSearchParams): Promise<Claims> {
    const error = answer.get('error');
    if (error !== null) throw new ProviderError(error === 'access_denied' ? 'denied' : 'refused', plainDetail(error));
    const provider = providers[source.settings.provider];
    const configuration = await this.#configuration(source);
    const url = new URL(callback);
    for (const [name, value] of answer)
      // without a description of itself there is nothing to compare it with: address and state belong to the source
      if (provider.kind === 'oidc' || name !== 'iss') url.searchParams.append(name, value);
    try {
      return provider.kind === 'oidc'
        ? await oidcClaims(await library(), configuration, url, attempt)
        : await this.#apiClaims(source, provider, configuration, url, attempt);
    } catch (cause) {
      throw providerError(await library(), cause);
    }
  }

  /** Throws when the provider cannot be reached, or is not what the settings say. */
  async tryConnection(source: Source): Promise<void> {
    this.#known.delete(source.id);
    const provider = providers[source.settings.provider];
    const configuration = await this.#configuration(source);
    if (provider.kind === 'api')
      await this.#fetch(source)(configuration.serverMetadata().token_endpoint!, {
        method: 'GET',
        headers: { accept: 'application/json' },
        body: undefined,
        redirect: 'manual',
      } as OpenId.CustomFetchOptions);
  }

  #scopes({ settings }: Source): readonly string[] {
    const provider = providers[settings.provider];
    const own = listItems(settings.scopes);
    if (provider.kind === 'api') return own.length > 0 ? own : provider.scopes;
    const more = own.length > 0 ? own : listItems(this.defaultScopes || 'profile email');
    return [...new Set(['openid', ...more])];
  }

  async #configuration(source: Source): Promise<OpenId.Configuration> {
    const now = Date.now();
    const known = this.#known.get(source.id);
    if (known && known.updatedAt === source.updatedAt && known.until > now) return known.configuration;
    if (this.#known.size >= maxCached) this.#known.clear();
    const made: Known = { updatedAt: source.updatedAt, until: now + cacheMs, configuration: this.#configure(source) };
    this.#known.set(source.id, made);
    made.configuration.catch(() => {
      if (this.#known.get(source.id) === made) this.#known.delete(source.id);
    });
    return made.configuration;
  }

  async #configure(source: Source): Promise<OpenId.Configuration> {
    const openid = await library();
    const { settings } = source;
    const provider = providers[settings.provider];
    const { clientId, clientSecret: secret } = settings;
    const metadata =
      provider.kind === 'oidc'
        ? await this.#discover(source, new URL(provider.issuer(settings)))
        : apiMetadata(provider, settings);
    const methods = metadata.token_endpoint_auth_methods_supported;
    const takesBasic = provider.kind === 'oidc' && (methods?.includes('client_secret_basic') ?? true);
    const authentication =
      secret === '' ? openid.None() : takesBasic ? openid.ClientSecretBasic(secret) : openid.ClientSecretPost(secret);
    const configuration = new openid.Configuration(
      metadata,
      clientId,
      { client_secret: secret || undefined },
      authentication,
    );
    configuration[openid.customFetch] = this.#fetch(source);
    configuration.timeout = 15;
    // an operator who gives an address without encryption means it, for instance within one machine
    const given = provider.kind === 'oidc' ? provider.issuer(settings) : metadata.token_endpoint;
    if (given?.startsWith('http:')) openid.allowInsecureRequests(configuration);
    // ID tokens say who somebody is: their signature counts, not only the connection that they came by
    if (provider.kind === 'oidc') openid.enableNonRepudiationChecks(configuration);
    return configuration;
  }

  async #discover(source: Source, issuer: URL): Promise<OpenId.ServerMetadata> {
    const openid = await library();
    try {
      const configuration = await openid.discovery(issuer, source.settings.clientId, undefined, openid.None(), {
        [openid.customFetch]: this.#fetch(source),
        timeout: 15,
        ...(issuer.protocol === 'http:' && { execute: [openid.allowInsecureRequests] }),
      });
      return configuration.serverMetadata();
    } catch (cause) {
      throw new ProviderError('unreachable', '', cause);
    }
  }

  async #apiClaims(
    source: Source,
    provider: ApiProvider,
    configuration: OpenId.Configuration,
    url: URL,
    { state, verifier }: Attempt,
  ): Promise<Claims> {
    const openid = await library();
    const checks = { expectedState: state, pkceCodeVerifier: verifier };
    const { access_token: token } = await openid.authorizationCodeGrant(configuration, url, checks);
    const { profileUrl, emailUrl } = endpointsOf(provider, source.settings);
    const profile = await this.#get(source, profileUrl, token);
    if (typeof profile !== 'object' || profile === null) throw new ProviderError('invalid', '');
    const emails = emailUrl ? await this.#get(source, emailUrl, token) : [];
    const addresses = Array.isArray(emails) ? (emails as Claims[]) : [];
    return provider.claims(profile as Claims, addresses, source.settings.useCustomUrls);
  }

  #fetch(source: Source): OpenId.CustomFetch {
    return providerFetch(this.#outbound, namedHosts(source.settings));
  }

  async #get(source: Source, url: string, token: string): Promise<unknown> {
    const answer = await this.#fetch(source)(url, {
      method: 'GET',
      headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
      body: undefined,
      redirect: 'manual',
    } as OpenId.CustomFetchOptions);
    if (answer.status !== 200) throw new ProviderError('invalid', String(answer.status));
    return answer.json();
  }
}

async function oidcClaims(
  openid: typeof OpenId,
  configuration: OpenId.Configuration,
  url: URL,
  { state, nonce, verifier }: Attempt,
): Promise<Claims> {
  const tokens = await openid.authorizationCodeGrant(configuration, url, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims()!;
  if (!configuration.serverMetadata().userinfo_endpoint) return claims;
  return mergedClaims(claims, await openid.fetchUserInfo(configuration, tokens.access_token, claims.sub));
}

/** Claims of the ID token and of the user info, which goes first. Of an address only who names it can say that it is verified. */
export function mergedClaims(token: Claims, info: Claims): Claims {
  const { email, email_verified } = info.email === undefined ? token : info;
  return { ...token, ...info, email, email_verified };
}

interface Endpoints {
  readonly authUrl: string;
  readonly tokenUrl: string;
  readonly profileUrl: string;
  readonly emailUrl: string;
}

function endpointsOf(provider: ApiProvider, settings: OAuth2Settings): Endpoints {
  const own = settings.useCustomUrls ? settings : { authUrl: '', tokenUrl: '', profileUrl: '', emailUrl: '' };
  return {
    authUrl: own.authUrl || provider.authUrl,
    tokenUrl: own.tokenUrl || provider.tokenUrl,
    profileUrl: own.profileUrl || provider.profileUrl,
    // a token of another site goes nowhere else
    emailUrl: own.emailUrl || (own.profileUrl ? '' : (provider.emailUrl ?? '')),
  };
}

function apiMetadata(provider: ApiProvider, settings: OAuth2Settings): OpenId.ServerMetadata {
  const { authUrl, tokenUrl } = endpointsOf(provider, settings);
  return { issuer: new URL(authUrl).origin, authorization_endpoint: authUrl, token_endpoint: tokenUrl };
}

/** An error code of the protocol (RFC 6749 4.1.2.1), or nothing: what it says besides may be made up by anybody. */
const plainDetail = (word: string) => (/^[\w.-]{1,60}$/.test(word) ? word : '');

function providerError(openid: typeof OpenId, cause: unknown): Error {
  if (cause instanceof ProviderError || Problem.is(cause)) return cause;
  if (cause instanceof openid.ResponseBodyError || cause instanceof openid.AuthorizationResponseError)
    return new ProviderError('refused', plainDetail(cause.error), cause);
  // what the network says has no code
  if (cause instanceof openid.ClientError && (cause.code === undefined || cause.code === 'OAUTH_TIMEOUT'))
    return new ProviderError('unreachable', '', cause);
  return new ProviderError('invalid', '', cause);
}

/** What people are told. */
export const textOfError = ({ code, detail: word }: ProviderError) => {
  if (code === 'denied') return t.later('error.denied');
  if (code === 'unreachable') return t.later('error.unreachable');
  return code === 'refused' && word ? t.later('error.refusedWith', { word }) : t.later('error.refused');
};
