import type OAuth2Server from '@node-oauth/oauth2-server';
import type { Account, Accounts } from '@mortise/accounts/api';
import { clientCredentials } from './client-credentials.js';
import type { ApplicationService } from './applications.js';
import type { Grants, Lifetimes } from './grants.js';
import { newSecret } from './secrets.js';

interface TokenRequest {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Readonly<Record<string, string>>;
}

interface TokenAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** For whom an ID token is made. */
interface Issued {
  readonly account: Account;
  readonly clientId: string;
  readonly scope: readonly string[];
  readonly nonce: string;
  /** Milliseconds since 1970 UTC. */
  readonly signedInAt: number;
}

interface EndpointDeps {
  readonly accounts: Accounts;
  readonly applications: ApplicationService;
  readonly grants: Grants;
  readonly lifetimes: Lifetimes;
  /** `[oauth2] INVALIDATE_REFRESH_TOKENS` */
  readonly refreshOnce: boolean;
  idToken(issued: Issued): Promise<string>;
}

/** Loaded with the first exchange. */
const library = () => import('@node-oauth/oauth2-server').then((module) => module.default);

type Code = OAuth2Server.AuthorizationCode;
const both = ['authorization_code', 'refresh_token'];

/** What came to light of one request. */
interface Exchange {
  grantId: number;
  codeId: number;
  nonce: string;
  signedInAt: number;
  account?: Account;
  refreshTokenId?: number;
  /** The refresh token is good once, and used up with what comes of it. */
  usesUp?: boolean;
  /** All that goes back to this code has to end. */
  stolen?: boolean;
}

/** Exchanges codes and refresh tokens for tokens (RFC 6749 4.1.3 and 6, RFC 7636). */
export class TokenEndpoint {
  constructor(private readonly deps: EndpointDeps) {}

  async answer({ headers, body }: TokenRequest): Promise<TokenAnswer> {
    const exchange: Exchange = { grantId: 0, codeId: 0, nonce: '', signedInAt: 0 };
    const OAuth2 = await library();
    const server = new OAuth2({
      model: this.#model(exchange, OAuth2),
      accessTokenLifetime: this.deps.lifetimes.access / 1000,
      refreshTokenLifetime: this.deps.lifetimes.refresh / 1000,
      // the model knows which applications have a secret
      requireClientAuthentication: { authorization_code: false, refresh_token: false },
    });
    const { clientId, secret, isBasic } = clientCredentials(headers, body);
    // an exchange asks for no scope of its own: code and refresh token have one, of which no word can be left out
    const { scope: _scope, ...asked } = body;
    const request = new OAuth2.Request({
      method: 'POST',
      query: {},
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '1' },
      body: { ...asked, client_id: clientId, ...(secret !== undefined && { client_secret: secret }) },
    });
    const response = new OAuth2.Response();
    try {
      const token = await server.token(request, response);
      const answer = response.body as Record<string, unknown>;
      const scope = (token.scope ?? []) as readonly string[];
      const { account, nonce, signedInAt } = exchange;
      if (scope.includes('openid') && account)
        answer.id_token = await this.deps.idToken({ account, clientId: token.client.id, scope, nonce, signedInAt });
      return { status: 200, body: { ...answer, token_type: 'bearer' }, headers: noStore };
    } catch (error) {
      if (exchange.stolen) await this.deps.grants.endFamily(exchange.grantId, exchange.codeId);
      if (!(error instanceof OAuth2.OAuthError) || error.code >= 500) throw error;
      const isUnknown = isBasic && error.name === 'invalid_client';
      return {
        status: isUnknown ? 401 : error.code,
        body: { error: error.name, error_description: error.message },
        headers: isUnknown ? { ...noStore, 'www-authenticate': 'Basic realm="Mortise"' } : noStore,
      };
    }
  }

  #model(
    exchange: Exchange,
    { InvalidGrantError }: typeof OAuth2Server,
  ): OAuth2Server.AuthorizationCodeModel & OAuth2Server.RefreshTokenModel {
    const { accounts, applications, grants, refreshOnce } = this.deps;
    const userOf = async (userId: number) => {
      const account = await accounts.byId(userId);
      if (!account || accounts.refusal(account)) return undefined;
      exchange.account = account;
      return account;
    };
    return {
      async getClient(clientId, clientSecret) {
        const application = await applications.authenticated(clientId, clientSecret || undefined);
        return application && { id: application.clientId, grants: both, isPublic: !application.isConfidential };
      },
      async getAuthorizationCode(text) {
        const found = await grants.code(text);
        if (!found) return undefined;
        const { code, grant, application } = found;
        Object.assign(exchange, {
          grantId: grant.id,
          codeId: code.id,
          nonce: code.nonce,
          signedInAt: Number(code.signed_in_at),
          stolen: code.is_used,
        });
        const user = code.is_used ? undefined : await userOf(grant.user_id);
        // without a secret the proof of who asked is all there is
        if (!user || (!application.isConfidential && !code.challenge)) return undefined;
        return {
          authorizationCode: text,
          expiresAt: new Date(Number(code.expires_at)),
          redirectUri: code.redirect_uri,
          scope: code.scope,
          client: { id: application.clientId, grants: both },
          user,
          ...(code.challenge && { codeChallenge: code.challenge, codeChallengeMethod: 'S256' }),
        };
      },
      async revokeAuthorizationCode() {
        const isFirst = await grants.useCode(exchange.codeId);
        exchange.stolen = !isFirst;
        return isFirst;
      },
      async getRefreshToken(text) {
        const found = await grants.refreshToken(text);
        if (!found) return undefined;
        const { token, grant, application } = found;
        Object.assign(exchange, { grantId: grant.id, codeId: token.code_id, stolen: token.is_used });
        const user = token.is_used ? undefined : await userOf(grant.user_id);
        if (!user) return undefined;
        return {
          refreshToken: text,
          refreshTokenExpiresAt: new Date(Number(token.expires_at)),
          scope: token.scope,
          client: { id: application.clientId, grants: both, isPublic: !application.isConfidential },
          user,
          tokenId: token.id,
        };
      },
      revokeToken(token) {
        exchange.refreshTokenId = token.tokenId as number;
        exchange.usesUp = refreshOnce || token.client.isPublic === true;
        return Promise.resolve(true);
      },
      generateAccessToken: () => Promise.resolve(newSecret('access')),
      generateRefreshToken: () => Promise.resolve(newSecret('refresh')),
      validateScope: (_user, _client, scope) => Promise.resolve(scope ?? []),
      async saveToken(token, client, user) {
        const scope = token.scope ?? [];
        const isStored = await grants.storeTokens(
          { ...exchange, scope },
          { access: token.accessToken, refresh: token.refreshToken! },
        );
        if (!isStored) throw new InvalidGrantError('Invalid grant: it has ended');
        return { ...token, scope, client, user };
      },
      saveAuthorizationCode: () => Promise.resolve(undefined as unknown as Code),
      getAccessToken: () => Promise.resolve(undefined),
    };
  }
}

const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' };
