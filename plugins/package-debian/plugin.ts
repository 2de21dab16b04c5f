import { definePlugin, defineService, site } from '@mortise/plugin-sdk';
import { packageFormats, packageIndexes, packageStore, signingKeys, sizeLimit } from '@mortise/packages/api';
import { debianFormat } from './format.js';
import { DebianRepositories } from './services/repositories.js';

const repositories = defineService<DebianRepositories>('package-debian.repositories');

export default definePlugin({
  name: 'package-debian',
  version: '1.0.0',
  description: 'The Debian registry: packages for apt with signed indexes',
  sdk: '^1.0.0',
  requires: { packages: '^1.0.0' },
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
