import { cache, definePlugin, fromPackage, defineService } from '@mortise/plugin-sdk';
import { packageFormats, packageStore, sizeLimit } from '@mortise/packages/api';
import { cranFormat } from './format.js';
import { CranRepositories, type Listing } from './services/repositories.js';

const repositories = defineService<CranRepositories>('package-cran.repositories');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [repositories],

  register(host) {
    host.service(
      repositories,
      { packageStore, cache },
      (services) => new CranRepositories(services.packageStore, services.cache.query<Listing>('package-cran.listings')),
    );
    host.settings('packages', sizeLimit('cran'));
    host.contribute(packageFormats, { repositories, packageStore }, (services) =>
      cranFormat(services.repositories, services.packageStore),
    );
  },
});
