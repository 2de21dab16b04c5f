import {
  type PluginHost,
  authMethods,
  cache,
  database,
  defineJob,
  defineService,
  events,
  site,
  Encryption,
} from '@mortise/plugin-sdk';
import { accounts, userDeleted } from '@mortise/accounts/api';
import { tokenUsage, tokenScopes } from '@mortise/auth-token/api';
import { oauth2Applications, oauth2Groups } from './contract/oauth2-provider.js';
import { ApplicationService } from './services/applications.js';
import { UserClaims } from './services/claims.js';
import { Grants, type FoundToken } from './services/grants.js';
import { applicationMethod } from './services/method.js';
import { Signing } from './services/signing.js';
import { TokenEndpoint } from './services/token-endpoint.js';
import { oauth2Settings } from './settings.js';
import type { ApplicationRow } from './models/application.js';
import { t } from './texts/index.js';

export const applications = defineService<ApplicationService>('oauth2-provider.applicationService');
export const grants = defineService<Grants>('oauth2-provider.grants');
export const signing = defineService<Signing>('oauth2-provider.signing');
export const claims = defineService<UserClaims>('oauth2-provider.claims');
export const tokenEndpoint = defineService<TokenEndpoint>('oauth2-provider.tokenEndpoint');
export const sweep = defineJob<Record<string, never>>('oauth2-provider.sweep');
export const words = (text: string) =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);

/** Settings and extension points that several of the registrations below need. */
export function openSettings(host: PluginHost) {
  const settings = host.settings('oauth2', oauth2Settings);
  const lifetimes = {
    access: settings.ACCESS_TOKEN_EXPIRATION_TIME * 1000,
    refresh: settings.REFRESH_TOKEN_EXPIRATION_TIME * 3_600_000,
  };
  const issuerOf = (root: string) => (settings.JWT_CLAIM_ISSUER || root).replace(/\/+$/, '');
  return { settings, lifetimes, issuerOf };
}

type Opened = ReturnType<typeof openSettings>;

export function registerApplications(host: PluginHost, { settings, lifetimes }: Opened): void {
  host.service(
    applications,
    { cache, database, events },
    (kernel) =>
      new ApplicationService(
        kernel.database,
        kernel.cache.query<ApplicationRow | undefined>('oauth2-provider.applications'),
        words(settings.CUSTOM_SCHEMES),
        kernel.events,
      ),
  );
  host.service(oauth2Applications, { applications }, (services) => services.applications);
  host.service(
    grants,
    { cache, database, events, tokenScopes },
    (services) =>
      new Grants(
        services.database,
        services.cache.query<FoundToken | undefined>('oauth2-provider.tokens'),
        services.tokenScopes,
        lifetimes,
        services.events,
      ),
  );
  host.on(userDeleted, 'within', 'delete-applications', { applications }, ({ userId }, services) =>
    services.applications.deleteOf(userId),
  );
  host.job(sweep, {}, { grants }, (_, services) => services.grants.sweep());
  host.schedule('sweep', '41 * * * *', sweep, {}, { title: t.later('schedule.sweep') });
}

export function registerTokens(host: PluginHost, { settings, lifetimes, issuerOf }: Opened): void {
  const groups = host.point(oauth2Groups);
  host.service(
    signing,
    { database, site },
    (kernel) =>
      new Signing(
        kernel.database,
        new Encryption(kernel.site.secret('oauth2-provider.keys')),
        settings.JWT_SIGNING_ALGORITHM,
      ),
  );
  host.service(claims, { accounts, site }, (services) => new UserClaims(services.accounts, services.site, groups));
  host.service(
    tokenEndpoint,
    { accounts, applications, claims, grants, signing, site },
    (services) =>
      new TokenEndpoint({
        ...services,
        lifetimes,
        refreshOnce: settings.INVALIDATE_REFRESH_TOKENS,
        idToken: async ({ account, clientId, scope, nonce, signedInAt }) =>
          services.signing.sign(
            {
              ...(await services.claims.of(account, scope)),
              iss: issuerOf(services.site.rootUrl),
              aud: clientId,
              ...(nonce && { nonce }),
              ...(signedInAt && { auth_time: Math.floor(signedInAt / 1000) }),
            },
            settings.ACCESS_TOKEN_EXPIRATION_TIME,
          ),
      }),
  );
  host.contribute(authMethods, { accounts, grants, tokenUsage, tokenScopes }, (services) =>
    applicationMethod(services.grants, services.accounts, services.tokenScopes, services.tokenUsage),
  );
}
