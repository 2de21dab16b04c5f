import { definePlugin, fromPackage, defineService } from '@mortise/plugin-sdk';
import { packageFormats, packageStore, sizeLimit } from '@mortise/packages/api';
import { swiftFormat } from './format.js';
import { Releases } from './services/releases.js';

const releases = defineService<Releases>('package-swift.releases');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [releases],

  register(host) {
    host.service(releases, { packageStore }, (services) => new Releases(services.packageStore));
    host.settings('packages', sizeLimit('swift'));
    host.contribute(packageFormats, { releases, packageStore }, (services) =>
      swiftFormat(services.releases, services.packageStore),
    );
  },
});
