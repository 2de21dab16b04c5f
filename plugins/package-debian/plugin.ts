import { definePlugin, fromPackage, defineService, site } from '@mortise/plugin-sdk';
import { packageFormats, packageIndexes, packageStore, signingKeys, sizeLimit } from '@mortise/packages/api';
import { debianFormat } from './format.js';
import { DebianRepositories } from './services/repositories.js';

const repositories = defineService<DebianRepositories>('package-debian.repositories');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [repositories],

  register(host) {
    host.service(
      repositories,
      { packageStore, packageIndexes, signingKeys, site },
      (services) => new DebianRepositories(services),
    );
    host.settings('packages', sizeLimit('debian'));
    host.contribute(packageFormats, { repositories, packageStore }, (services) =>
      debianFormat(services.repositories, services.packageStore),
    );
  },
});
