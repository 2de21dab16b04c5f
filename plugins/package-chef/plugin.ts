import { cache, definePlugin, defineService } from '@mortise/plugin-sdk';
import { packageFormats, packageStore } from '@mortise/packages/api';
import { chefFormat } from './format.js';
import { Cookbooks } from './services/cookbooks.js';

const cookbooks = defineService<Cookbooks>('package-chef.cookbooks');

export default definePlugin({
  name: 'package-chef',
  version: '1.0.0',
  description: 'The Chef registry: cookbooks',
  sdk: '^1.0.0',
  requires: { packages: '^1.0.0' },
  provides: [cookbooks],

  register(host) {
    host.service(
      cookbooks,
      { packageStore, cache },
      (services) =>
        new Cookbooks(
          services.packageStore,
          services.cache.fresh('package-chef.universes', { max: 100 }),
          services.cache.fresh('package-chef.lists', { max: 100 }),
        ),
    );
    host.contribute(packageFormats, { cookbooks, packageStore }, (services) =>
      chefFormat(services.cookbooks, services.packageStore),
    );
  },
});
