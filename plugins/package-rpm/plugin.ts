import { database, definePlugin, defineService, locks, site } from '@mortise/plugin-sdk';
import { packageFormats, packageIndexes, packageStore, signingKeys } from '@mortise/packages/api';
import { rpmFormat } from './format.js';
import { RpmRepositories } from './services/repositories.js';

const repositories = defineService<RpmRepositories>('package-rpm.repositories');

export default definePlugin({
  name: 'package-rpm',
  version: '1.0.0',
  description: 'The RPM registry: packages for dnf and zypper with signed metadata',
  sdk: '^1.0.0',
  requires: { packages: '^1.0.0' },
  provides: [repositories],

  register(host) {
    host.service(
      repositories,
      { packageStore, packageIndexes, signingKeys, database, locks },
      (services) => new RpmRepositories(services),
    );
    host.contribute(packageFormats, { repositories, packageStore, site }, (services) =>
      rpmFormat(services.repositories, services.packageStore, () => services.site.name),
    );
  },
});
