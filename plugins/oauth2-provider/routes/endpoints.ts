import { defineRoute, Joi, reply, Unauthorized, type Route, type Site } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { TokenScopes } from '@mortise/auth-token/api';
import { applicationGrant } from '../contract/oauth2-provider.js';
import type { ApplicationService } from '../services/applications.js';
import { clientCredentials } from '../services/client-credentials.js';
import type { UserClaims } from '../services/claims.js';
import type { Grants } from '../services/grants.js';
import { identityWords } from '../services/scope.js';
import type { Signing } from '../services/signing.js';
import type { TokenEndpoint } from '../services/token-endpoint.js';

interface EndpointServices {
  readonly accounts: Accounts;
  readonly applications: ApplicationService;
  readonly claims: UserClaims;
  readonly grants: Grants;
  readonly signing: Signing;
  readonly tokenEndpoint: TokenEndpoint;
  readonly tokenScopes: TokenScopes;
  readonly site: Site;
  readonly issuer: () => string;
  readonly algorithm: string;
}

type Fields = Readonly<Record<string, string>>;
const access = { actor: 'anyone', always: true } as const;
const ofApplication = { ...access, ownCredentials: true } as const;
const surface = 'protocol';
/** Short texts only; whatever else programs send is passed over. */
const payload = Joi.object<Record<string, unknown>>().unknown().max(50);

/** The fields as programs of this kind may send them; undefined where one comes twice, or is too long. */
function fieldsOf(sent: Readonly<Record<string, unknown>>): Fields | undefined {
  const isRight = Object.values(sent).every((value) => typeof value === 'string' && value.length <= 10_000);
  return isRight ? (sent as Fields) : undefined;
}
const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' };

const answer = (body: unknown, status = 200, headers: Readonly<Record<string, string>> = noStore) => {
  const made = reply.json(body, status);
  for (const [name, value] of Object.entries(headers)) made.header(name, value);
  return made;
};
const invalidRequest = () =>
  answer({ error: 'invalid_request', error_description: 'a field is sent twice, or is too long' }, 400);
const invalidClient = () =>
  answer({ error: 'invalid_client', error_description: 'the application is not known or its secret is wrong' }, 401, {
    ...noStore,
    'www-authenticate': 'Basic realm="Mortise"',
  });

/** What these routes share. */
function endpointContext(parts: EndpointServices) {
  const { accounts, applications, claims, grants, signing, site, tokenEndpoint, tokenScopes, issuer } = parts;
  /** The application that asks, by its secret. */
  const client = (headers: Readonly<Record<string, string | undefined>>, body: Fields) => {
    const { clientId, secret } = clientCredentials(headers, body);
    return applications.authenticated(clientId, secret);
  };
  const userInfoRoute: Pick<Route, 'surface' | 'access' | 'responses' | 'handler'> = {
    surface,
    access: { actor: 'user', always: true },
    responses: { 200: Joi.object().unknown() },
    async handler({ actor }) {
      const grant = applicationGrant.of(actor);
      const account = grant && (await accounts.byId(actor.id));
      if (!account) throw Unauthorized('An access token of an application is required.');
      return answer(await claims.of(account, grant.scope));
    },
  };
  const discovery = () => ({
    issuer: issuer(),
    authorization_endpoint: site.url('/login/oauth/authorize'),
    token_endpoint: site.url('/login/oauth/access_token'),
    jwks_uri: site.url('/login/oauth/keys'),
    userinfo_endpoint: site.url('/login/oauth/userinfo'),
    introspection_endpoint: site.url('/login/oauth/introspect'),
    revocation_endpoint: site.url('/login/oauth/revoke'),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    id_token_signing_alg_values_supported: [parts.algorithm],
    subject_types_supported: ['public'],
    scopes_supported: [
      ...identityWords,
      'all',
      'public-only',
      ...tokenScopes.categories.flatMap(({ key }) => [`read:${key}`, `write:${key}`]),
    ],
    claims_supported: [
      ...['aud', 'exp', 'iat', 'iss', 'sub', 'auth_time', 'nonce', 'name', 'preferred_username', 'profile', 'picture'],
      ...['website', 'locale', 'updated_at', 'email', 'email_verified', 'groups'],
    ],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    authorization_response_iss_parameter_supported: true,
  });
  return { tokenEndpoint, client, grants, accounts, issuer, person: userInfoRoute, signing, discovery };
}

type EndpointRouteContext = ReturnType<typeof endpointContext>;

const issueToken = ({ tokenEndpoint }: EndpointRouteContext) =>
  defineRoute({
    method: 'POST',
    path: '/login/oauth/access_token',
    surface,
    access: ofApplication,
    request: { payload },
    responses: { 200: Joi.object().unknown(), 400: null, 401: null },
    async handler(context) {
      const body = fieldsOf(context.payload);
      if (!body) return invalidRequest();
      const made = await tokenEndpoint.answer({ headers: context.headers, body });
      return answer(made.body, made.status, made.headers);
    },
  });

const introspectToken = ({ client, grants, accounts, issuer }: EndpointRouteContext) =>
  defineRoute({
    method: 'POST',
    path: '/login/oauth/introspect',
    surface,
    access: ofApplication,
    request: { payload },
    responses: { 200: Joi.object().unknown(), 401: null },
    async handler({ headers, payload: sent }) {
      const body = fieldsOf(sent);
      if (!body) return invalidRequest();
      const application = await client(headers, body);
      if (!application?.isConfidential) return invalidClient();
      const text = body.token ?? '';
      const issued = (await grants.accessToken(text)) ?? (await grants.refreshToken(text));
      const account = issued && (await accounts.byId(issued.grant.user_id));
      const isActive =
        issued &&
        account &&
        !accounts.refusal(account) &&
        !issued.token.is_used &&
        Number(issued.token.expires_at) > Date.now() &&
        issued.application.id === application.id;
      if (!isActive) return answer({ active: false });
      return answer({
        active: true,
        scope: issued.token.scope.join(' '),
        client_id: issued.application.clientId,
        username: account.name,
        token_type: 'bearer',
        exp: Math.floor(Number(issued.token.expires_at) / 1000),
        iat: Math.floor(Number(issued.token.created_at) / 1000),
        sub: String(account.id),
        aud: issued.application.clientId,
        iss: issuer(),
      });
    },
  });

const revokeToken = ({ client, grants }: EndpointRouteContext) =>
  defineRoute({
    method: 'POST',
    path: '/login/oauth/revoke',
    surface,
    access: ofApplication,
    request: { payload },
    responses: { 200: null, 401: null },
    async handler({ headers, payload: sent }) {
      const body = fieldsOf(sent);
      if (!body) return invalidRequest();
      const application = await client(headers, body);
      if (!application) return invalidClient();
      await grants.endToken(body.token ?? '', application.id);
      return reply.empty(200);
    },
  });

const signingKeyList = ({ signing }: EndpointRouteContext) =>
  defineRoute({
    method: 'GET',
    path: '/login/oauth/keys',
    surface,
    access,
    responses: { 200: Joi.object().unknown() },
    handler: async () => answer(await signing.keys(), 200, { 'cache-control': 'public, max-age=3600' }),
  });

/** What programs talk to: tokens, who somebody is, keys, discovery. */
export function endpointRoutes(parts: EndpointServices): readonly Route[] {
  const context = endpointContext(parts);
  const { person: userInfoRoute, discovery } = context;
  return [
    issueToken(context),
    introspectToken(context),
    revokeToken(context),
    defineRoute({ method: 'GET', path: '/login/oauth/userinfo', ...userInfoRoute }),
    defineRoute({ method: 'POST', path: '/login/oauth/userinfo', ...userInfoRoute }),
    signingKeyList(context),
    ...['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'].map((path) =>
      defineRoute({
        method: 'GET',
        path,
        surface,
        access,
        responses: { 200: Joi.object().unknown() },
        handler: () => answer(discovery(), 200, { 'cache-control': 'public, max-age=3600' }),
      }),
    ),
  ];
}
