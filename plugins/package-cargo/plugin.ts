import { cache, definePlugin, fromPackage, defineService } from '@mortise/plugin-sdk';
import { ThreadPool } from '@mortise/plugin-sdk/threads';
import { accounts } from '@mortise/accounts/api';
import { packageFormats, packageStore, proxySources, proxySettings, sizeLimit } from '@mortise/packages/api';
import { cargoFormat } from './format.js';
import { Crates, type CrateIndex } from './services/crates.js';
import { Mirror } from './services/mirror.js';

const crates = defineService<Crates>('package-cargo.crates');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [crates],

  register(host) {
    const settings = host.settings('package-cargo', proxySettings('https://index.crates.io', 'acme-*'));
    host.service(
      crates,
      { packageStore, accounts, cache },
      (services) =>
        new Crates(services.packageStore, services.accounts, services.cache.query<CrateIndex>('package-cargo.indexes')),
    );
    const threads = new ThreadPool(new URL('./services/read-index-thread.js', import.meta.url), {
      threads: 2,
      memory: 256,
      time: 20_000,
    });
    host.onStart({}, async () => () => threads.close());
    host.settings('packages', sizeLimit('cargo'));
    host.contribute(packageFormats, { crates, packageStore, proxySources }, (services) => {
      const source = services.proxySources.open('cargo', settings);
      return cargoFormat(services.crates, services.packageStore, source && new Mirror(source, threads));
    });
  },
});
