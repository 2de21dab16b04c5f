import {
  authMethods,
  database,
  definePlugin,
  defineService,
  events,
  fromPackage,
  resources,
  site,
} from '@mortise/plugin-sdk';
import { accounts, credentialsChanged, loginSources, reservedNames } from '@mortise/accounts/api';
import { adminMenu, adminPage } from '@mortise/admin/api';
import { organizations, teams } from '@mortise/organizations/api';
import { knownUnits } from '@mortise/repositories/api';
import { tokenCommands } from './commands/tokens.js';
import { tokenPages } from './pages/tokens.js';
import { scimRoutes } from './routes/scim.js';
import { ScimGroups } from './services/groups.js';
import { scimMethod, scimTokenResolver } from './services/token-method.js';
import { ScimTokens } from './services/tokens.js';
import { ScimUsers } from './services/users.js';
import { t } from './texts/index.js';

/** Shared inside this plugin only. */
const scimTokens = defineService<ScimTokens>('scim.tokens');
const scimUsers = defineService<ScimUsers>('scim.users');
const scimGroups = defineService<ScimGroups>('scim.groups');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [scimTokens, scimUsers, scimGroups],

  register(host) {
    host.migrations(new URL('./migrations/', import.meta.url));
    host.service(scimTokens, { database, events, loginSources, organizations }, (services) => new ScimTokens(services));
    host.service(scimUsers, { accounts, database, site }, (services) => new ScimUsers(services));
    host.service(
      scimGroups,
      { database, knownUnits, organizations, site, teams, users: scimUsers },
      (services) => new ScimGroups(services),
    );

    host.contribute(authMethods, { tokens: scimTokens }, scimMethod);
    host.contribute(resources, scimTokenResolver);
    host.routes({ groups: scimGroups, site, users: scimUsers }, scimRoutes);
    host.contribute(reservedNames, { names: ['scim'] });
    host.on(credentialsChanged, 'within', 'forget-deactivation', { users: scimUsers }, ({ userId }, services) =>
      services.users.forgetDeactivation(userId),
    );
    tokenCommands(host, scimTokens);

    host.whenPresent('admin', () => {
      host.contribute(adminMenu, {
        key: 'scim',
        label: t.later('title'),
        href: '/-/admin/scim',
        icon: 'sync',
        order: 21,
        settings: [{ label: t.later('form.new'), field: 'field-name' }],
      });
      host.routes({ adminPage, loginSources, scimTokens, site }, tokenPages);
    });
  },
});
