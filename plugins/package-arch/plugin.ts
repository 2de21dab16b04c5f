import { definePlugin, fromPackage, defineService, locks } from '@mortise/plugin-sdk';
import { packageFormats, packageIndexes, packageStore, signingKeys, sizeLimit } from '@mortise/packages/api';
import { archFormat } from './format.js';
import { ArchRepositories } from './services/repositories.js';

const repositories = defineService<ArchRepositories>('package-arch.repositories');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [repositories],

  register(host) {
    host.service(
      repositories,
      { packageStore, packageIndexes, signingKeys, locks },
      (services) => new ArchRepositories(services),
    );
    host.settings('packages', sizeLimit('arch'));
    host.contribute(packageFormats, { repositories, packageStore }, (services) =>
      archFormat(services.repositories, services.packageStore),
    );
  },
});
