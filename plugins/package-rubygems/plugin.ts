import { cache, definePlugin, fromPackage, defineService } from '@mortise/plugin-sdk';
import { packageFormats, packageStore, sizeLimit } from '@mortise/packages/api';
import { rubygemsFormat } from './format.js';
import { Gems, type Document } from './services/gems.js';

const gems = defineService<Gems>('package-rubygems.gems');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [gems],

  register(host) {
    host.service(
      gems,
      { packageStore, cache },
      (services) => new Gems(services.packageStore, services.cache.query<Document>('package-rubygems.documents')),
    );
    host.settings('packages', sizeLimit('rubygems'));
    host.contribute(packageFormats, { gems, packageStore }, (services) =>
      rubygemsFormat(services.gems, services.packageStore),
    );
  },
});
