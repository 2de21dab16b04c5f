import { cache, definePlugin, fromPackage, defineService, site, type PreparedJson } from '@mortise/plugin-sdk';
import { packageFormats, packageStore, sizeLimit } from '@mortise/packages/api';
import { repositories, repositoryAccess } from '@mortise/repositories/api';
import { composerFormat } from './format.js';
import { ComposerPackages } from './services/packages.js';

const packages = defineService<ComposerPackages>('package-composer.packages');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [packages],

  register(host) {
    host.service(
      packages,
      { packageStore, repositories, repositoryAccess, site, cache },
      ({ packageStore: store, cache: caches, ...services }) =>
        new ComposerPackages({
          ...services,
          store,
          documents: caches.query<PreparedJson>('package-composer.documents'),
        }),
    );
    host.settings('packages', sizeLimit('composer'));
    host.contribute(packageFormats, { packages, packageStore }, (services) =>
      composerFormat(services.packages, services.packageStore),
    );
  },
});
