import { cache, database, definePlugin, defineService, site } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { packageFormats, packageStore, upstreams, upstreamSettings } from '@mortise/packages/api';
import { repositories, repositoryAccess } from '@mortise/repositories/api';
import { npmFormat } from './format.js';
import { Mirror } from './services/mirror.js';
import { Registry, type Document } from './services/registry.js';

const registry = defineService<Registry>('package-npm.registry');

export default definePlugin({
  name: 'package-npm',
  version: '1.0.0',
  description: 'The npm registry protocol',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0', packages: '^1.0.0', repositories: '^1.0.0' },
  provides: [registry],

  register(host) {
    const settings = host.settings('package-npm', upstreamSettings('https://registry.npmjs.org', '@acme/*'));
    host.service(
      registry,
      { database, cache, site, accounts, repositories, repositoryAccess, packageStore },
      ({ cache: caches, packageStore: store, ...services }) =>
        new Registry({ ...services, store, documents: caches.fresh<Document>('package-npm.documents', { max: 300 }) }),
    );
    host.contribute(packageFormats, { registry, packageStore, upstreams }, (services) => {
      const upstream = services.upstreams.open('npm', settings);
      const script = new URL('./services/rewrite-thread.js', import.meta.url);
      const mirror = upstream && new Mirror(upstream, script);
      return npmFormat({ registry: services.registry, store: services.packageStore, mirror });
    });
  },
});
