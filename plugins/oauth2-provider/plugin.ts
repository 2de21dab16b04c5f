import { definePlugin, fromPackage, site, takeoverMappings } from '@mortise/plugin-sdk';
import { accounts, settingsMenu, settingsPage } from '@mortise/accounts/api';
import { adminMenu, adminPage } from '@mortise/admin/api';
import { tokenScopes } from '@mortise/auth-token/api';
import { organizationPages, organizations, organizationSettingsMenu, teams } from '@mortise/organizations/api';
import { sessions } from '@mortise/sessions/api';
import { oauth2Applications, oauth2Groups } from './contract/oauth2-provider.js';
import { applicationRoutes } from './routes/applications.js';
import { authorizeRoutes } from './pages/consent.js';
import { endpointRoutes } from './routes/endpoints.js';
import { adminRoutes, organizationRoutes, settingsRoutes } from './pages/levels.js';
import { FreshSignIns } from './services/fresh-sign-ins.js';
import { groupNames } from './services/group-names.js';
import { t } from './texts/index.js';
import {
  applications,
  grants,
  signing,
  claims,
  tokenEndpoint,
  sweep,
  words,
  openSettings,
  registerApplications,
  registerTokens,
} from './wiring.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [oauth2Applications, oauth2Groups, applications, grants, signing, claims, tokenEndpoint, sweep],

  register(host) {
    const opened = openSettings(host);
    const { settings, issuerOf } = opened;
    registerApplications(host, opened);
    host.migrations(new URL('./migrations/', import.meta.url));
    host.contribute(takeoverMappings, {
      key: 'oauth2-provider',
      // codes live for minutes
      ignoredTables: ['oauth2_authorization_code'],
      tables: async () => (await import('./takeover/tables.js')).tables,
    });
    if (!settings.ENABLED) return;
    registerTokens(host, opened);
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
      await services.applications.ensureWellKnown(words(settings.DEFAULT_APPLICATIONS));
    });
  },
});
