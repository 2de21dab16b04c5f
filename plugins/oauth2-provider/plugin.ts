import { authMethods, cache, database, defineJob, definePlugin, defineService, site, Vault } from '@mortise/plugin-sdk';
import { accounts, settingsMenu, settingsPage, userDeleted } from '@mortise/accounts/api';
import { adminMenu, adminPage } from '@mortise/admin/api';
import { tokenPlaces, tokenScopes } from '@mortise/auth-token/api';
import { organizationPages, organizations, organizationSettingsMenu, teams } from '@mortise/organizations/api';
import { sessions } from '@mortise/sessions/api';
import { oauth2Applications, oauth2Groups } from './api.js';
import { applicationRoutes } from './routes/applications.js';
import { authorizeRoutes } from './routes/authorize.js';
import { endpointRoutes } from './routes/endpoints.js';
import { adminRoutes, organizationRoutes, settingsRoutes } from './routes/levels.js';
import { ApplicationService } from './services/applications.js';
import { PersonClaims } from './services/claims.js';
import { FreshSignIns } from './services/fresh-sign-ins.js';
import { Grants, type FoundToken } from './services/grants.js';
import { groupNames } from './services/group-names.js';
import { applicationMethod } from './services/method.js';
import { Signing } from './services/signing.js';
import { TokenEndpoint } from './services/token-endpoint.js';
import { oauth2Settings } from './settings.js';
import type { ApplicationRow } from './models/rows.js';
import { t } from './texts/index.js';

const applications = defineService<ApplicationService>('oauth2-provider.applicationService');
const grants = defineService<Grants>('oauth2-provider.grants');
const signing = defineService<Signing>('oauth2-provider.signing');
const claims = defineService<PersonClaims>('oauth2-provider.claims');
const tokenEndpoint = defineService<TokenEndpoint>('oauth2-provider.tokenEndpoint');
const sweep = defineJob<Record<string, never>>('oauth2-provider.sweep');

const words = (text: string) =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean);

export default definePlugin({
  name: 'oauth2-provider',
  version: '1.0.0',
  description: 'Applications act for people here: OAuth 2.0 and OpenID Connect provider',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0', 'auth-token': '^1.0.0', sessions: '^1.0.0' },
  optional: { admin: '^1.0.0', organizations: '^1.0.0' },
  provides: [oauth2Applications, oauth2Groups, applications, grants, signing, claims, tokenEndpoint, sweep],

  register(host) {
    const settings = host.settings('oauth2', oauth2Settings);
    const groups = host.point(oauth2Groups);
    const lifetimes = {
      access: settings.ACCESS_TOKEN_EXPIRATION_TIME * 1000,
      refresh: settings.REFRESH_TOKEN_EXPIRATION_TIME * 3_600_000,
    };
    host.migrations(new URL('./migrations/', import.meta.url));

    host.service(
      applications,
      { cache, database },
      (kernel) =>
        new ApplicationService(
          kernel.database,
          kernel.cache.fresh<ApplicationRow | undefined>('oauth2-provider.applications', { max: 1000 }),
          words(settings.CUSTOM_SCHEMES),
        ),
    );
    host.service(oauth2Applications, { applications }, (services) => services.applications);
    host.service(
      grants,
      { cache, database, tokenScopes },
      (services) =>
        new Grants(
          services.database,
          services.cache.fresh<FoundToken | undefined>('oauth2-provider.tokens', { max: 5000 }),
          services.tokenScopes,
          lifetimes,
        ),
    );
    host.on(userDeleted, 'within', 'delete-applications', { applications }, ({ userId }, services) =>
      services.applications.deleteOf(userId),
    );
    host.job(sweep, {}, { grants }, (_, services) => services.grants.sweep());
    host.schedule('sweep', '41 * * * *', sweep, {});
    if (!settings.ENABLED) return;

    const issuerOf = (root: string) => (settings.JWT_CLAIM_ISSUER || root).replace(/\/+$/, '');
    host.service(
      signing,
      { database, site },
      (kernel) =>
        new Signing(
          kernel.database,
          new Vault(kernel.site.secret('oauth2-provider.keys')),
          settings.JWT_SIGNING_ALGORITHM,
        ),
    );
    host.service(claims, { accounts, site }, (services) => new PersonClaims(services.accounts, services.site, groups));
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
    host.contribute(authMethods, { accounts, grants, tokenPlaces, tokenScopes }, (services) =>
      applicationMethod(services.grants, services.accounts, services.tokenScopes, services.tokenPlaces),
    );
    host.contribute(settingsMenu, {
      key: 'oauth2',
      label: t.later('settings.title'),
      href: '/user/settings/oauth2',
      icon: 'shield-lock',
      order: 55,
      settings: [{ label: t.later('granted.title') }, { label: t.later('form.title'), field: 'field-name' }],
    });
    host.routes({ accounts, applications, grants, sessions, site, tokenScopes }, (services) =>
      authorizeRoutes({
        ...services,
        freshSignIns: new FreshSignIns(services.site.secret('oauth2-provider.freshSignIns')),
        issuer: () => issuerOf(services.site.rootUrl),
      }),
    );
    host.routes({ accounts, applications, claims, grants, signing, site, tokenEndpoint, tokenScopes }, (services) =>
      endpointRoutes({
        ...services,
        issuer: () => issuerOf(services.site.rootUrl),
        algorithm: settings.JWT_SIGNING_ALGORITHM,
      }),
    );
    host.routes({ oauth2Applications }, applicationRoutes);
    host.routes({ oauth2Applications, grants, settingsPage, site, tokenScopes }, settingsRoutes);
    host.whenPresent('organizations', () => {
      host.contribute(oauth2Groups, { organizations, teams }, groupNames);
      host.contribute(organizationSettingsMenu, {
        key: 'applications',
        label: t.later('settings.title'),
        icon: 'apps',
        order: 45,
        href: 'applications',
      });
      host.routes({ oauth2Applications, pages: organizationPages, site }, organizationRoutes);
    });
    host.whenPresent('admin', () => {
      host.contribute(adminMenu, {
        key: 'applications',
        label: t.later('settings.title'),
        href: '/-/admin/applications',
        icon: 'apps',
        order: 25,
        settings: [{ label: t.later('form.title'), field: 'field-name' }],
      });
      host.routes({ oauth2Applications, adminPage, site }, adminRoutes);
    });
    host.onStart({ applications }, async (services) => {
      await services.applications.keepWellKnown(words(settings.DEFAULT_APPLICATIONS));
    });
  },
});
