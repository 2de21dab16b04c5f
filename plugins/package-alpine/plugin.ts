import { definePlugin, fromPackage, defineService } from '@mortise/plugin-sdk';
import { packageFormats, packageIndexes, packageStore, signingKeys, sizeLimit } from '@mortise/packages/api';
import { alpineFormat } from './format.js';
import { AlpineRepositories } from './services/repositories.js';

const repositories = defineService<AlpineRepositories>('package-alpine.repositories');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [repositories],

  register(host) {
    host.service(
      repositories,
      { packageStore, packageIndexes, signingKeys },
      (services) => new AlpineRepositories(services.packageStore, services.packageIndexes, services.signingKeys),
    );
    host.settings('packages', sizeLimit('alpine'));
    host.contribute(packageFormats, { repositories, packageStore }, (services) =>
      alpineFormat(services.repositories, services.packageStore),
    );
  },
});
