import { definePlugin, defineService, locks } from '@mortise/plugin-sdk';
import { packageFormats, packageIndexes, packageStore, signingKeys, sizeLimit } from '@mortise/packages/api';
import { archFormat } from './format.js';
import { ArchRepositories } from './services/repositories.js';

const repositories = defineService<ArchRepositories>('package-arch.repositories');

export default definePlugin({
  name: 'package-arch',
  version: '1.0.0',
  description: 'The Arch registry: packages for pacman with a signed database',
  sdk: '^1.0.0',
  requires: { packages: '^1.0.0' },
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
