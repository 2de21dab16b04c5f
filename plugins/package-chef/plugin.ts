import {
  authMethods,
  cache,
  database,
  definePlugin,
  fromPackage,
  defineService,
  site,
  takeoverMappings,
} from '@mortise/plugin-sdk';
import { accounts, settingsMenu, settingsPage } from '@mortise/accounts/api';
import { packageFormats, packageStore, sizeLimit } from '@mortise/packages/api';
import { chefFormat } from './format.js';
import { keyPages, keysPath } from './pages/keys.js';
import { Cookbooks } from './services/cookbooks.js';
import { ChefKeys } from './services/keys.js';
import { chefMethod } from './services/method.js';
import { t } from './texts/index.js';

const cookbooks = defineService<Cookbooks>('package-chef.cookbooks');
const keys = defineService<ChefKeys>('package-chef.keys');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [cookbooks, keys],

  register(host) {
    host.migrations(new URL('./migrations/', import.meta.url));
    host.service(
      cookbooks,
      { packageStore, cache },
      (services) =>
        new Cookbooks(
          services.packageStore,
          services.cache.query('package-chef.universes'),
          services.cache.query('package-chef.lists'),
        ),
    );
    host.settings('packages', sizeLimit('chef'));
    host.contribute(packageFormats, { cookbooks, packageStore }, (services) =>
      chefFormat(services.cookbooks, services.packageStore),
    );
    host.contribute(takeoverMappings, {
      key: 'package-chef',
      tables: async () => (await import('./takeover/tables.js')).tables,
    });
    host.service(keys, { database }, (kernel) => new ChefKeys(kernel.database));
    host.contribute(authMethods, { accounts, keys, site }, chefMethod);
    host.contribute(settingsMenu, {
      key: 'chef',
      label: t.later('keys.title'),
      href: keysPath,
      icon: 'key',
      order: 90,
    });
    host.routes({ keys, settingsPage, site }, keyPages);
  },
});
