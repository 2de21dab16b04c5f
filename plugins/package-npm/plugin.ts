import { cache, database, definePlugin, fromPackage, defineService, site } from '@mortise/plugin-sdk';
import { ThreadPool } from '@mortise/plugin-sdk/threads';
import { accounts } from '@mortise/accounts/api';
import { packageFormats, packageStore, proxySources, proxySettings, sizeLimit } from '@mortise/packages/api';
import { repositories, repositoryAccess } from '@mortise/repositories/api';
import { npmFormat } from './format.js';
import { renewDocuments } from './jobs/renew-documents.js';
import { Documents, type CachedTags, type MadeDocument } from './services/documents.js';
import { Mirror } from './services/mirror.js';
import { Registry } from './services/registry.js';
import { Tags } from './services/tags.js';
import { t } from './texts/index.js';

const documents = defineService<Documents>('package-npm.documents');
const registry = defineService<Registry>('package-npm.registry');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [documents, registry, renewDocuments],

  register(host) {
    const settings = host.settings('package-npm', proxySettings('https://registry.npmjs.org', '@acme/*'));
    host.migrations(new URL('./migrations/', import.meta.url));
    host.service(
      documents,
      { database, cache, site, accounts, packageStore },
      ({ cache: caches, packageStore: store, ...services }) =>
        new Documents({
          ...services,
          store,
          made: caches.query<MadeDocument>('package-npm.documents'),
          kept: caches.query<CachedTags>('package-npm.keptDocuments'),
          packed: caches.memory<Buffer>('package-npm.packedDocuments'),
        }),
    );
    const threads = new ThreadPool(new URL('./services/rewrite-thread.js', import.meta.url), {
      threads: 2,
      memory: 512,
      time: 20_000,
    });
    host.onStart({}, async () => () => threads.close());
    host.service(
      registry,
      { database, site, accounts, repositories, repositoryAccess, packageStore, documents },
      ({ packageStore: store, ...services }) =>
        new Registry({ ...services, store, tags: new Tags({ ...services, store }) }),
    );
    host.settings('packages', sizeLimit('npm'));
    host.contribute(packageFormats, { registry, packageStore, proxySources }, (services) => {
      const source = services.proxySources.open('npm', settings);
      const mirror = source && new Mirror(source, threads);
      return npmFormat({ registry: services.registry, store: services.packageStore, mirror });
    });
    host.job(renewDocuments, { attempts: 2 }, { documents }, (_payload, services, { signal }) =>
      services.documents.rebuildAll(signal),
    );
    host.schedule('renew-documents', '15 1 * * *', renewDocuments, {}, { title: t.later('schedule.renew-documents') });
  },
});
