import { cache, definePlugin, fromPackage, defineService, type PreparedJson } from '@mortise/plugin-sdk';
import { packageFormats, packageStore, sizeLimit } from '@mortise/packages/api';
import { pubFormat } from './format.js';
import { PubPackages } from './services/packages.js';

const packages = defineService<PubPackages>('package-pub.packages');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [packages],

  register(host) {
    host.service(
      packages,
      { packageStore, cache },
      (services) => new PubPackages(services.packageStore, services.cache.query<PreparedJson>('package-pub.documents')),
    );
    host.settings('packages', sizeLimit('pub'));
    host.contribute(packageFormats, { packages, packageStore }, (services) =>
      pubFormat(services.packages, services.packageStore),
    );
  },
});
