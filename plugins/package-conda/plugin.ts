import { cache, definePlugin, fromPackage, defineService } from '@mortise/plugin-sdk';
import { packageFormats, packageStore, sizeLimit } from '@mortise/packages/api';
import { condaFormat } from './format.js';
import { Channels, type Repodata } from './services/channels.js';

const channels = defineService<Channels>('package-conda.channels');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [channels],

  register(host) {
    host.service(
      channels,
      { packageStore, cache },
      (services) =>
        new Channels(
          services.packageStore,
          services.cache.query<Repodata>('package-conda.indexes'),
          services.cache.memory<Buffer>('package-conda.packed'),
        ),
    );
    host.settings('packages', sizeLimit('conda'));
    host.contribute(packageFormats, { channels, packageStore }, (services) =>
      condaFormat(services.channels, services.packageStore),
    );
  },
});
