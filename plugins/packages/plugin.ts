import { backupSources, definePlugin, site, resources } from '@mortise/plugin-sdk';
import { accounts, memberships } from '@mortise/accounts/api';
import { repositories, repositoryAccess, repositoryUnits } from '@mortise/repositories/api';
import {
  cleanUpPackages,
  packageAccess,
  packageAccessSources,
  packageCreated,
  packageDeleted,
  packageFormats,
  packageIndexes,
  packageOwnerModel,
  packageStore,
  packageTokens,
  signingKeys,
  upstreams,
} from './api.js';
import { readmeRenderers } from './services/readme.js';
import { packageResolver, protocolResolver } from './services/access.js';
import { namedBlobs } from './services/blobs.js';
import { keptArea, useTable } from './services/upstream/kept.js';
import { buildPackageIndex, trimUpstreams } from './jobs.js';
import { Present } from './services/present.js';
import { cleanUpSettings } from './settings.js';
import { t } from './texts/index.js';
import {
  blobs,
  downloads,
  store,
  rules,
  indexes,
  keys,
  tokens,
  present,
  kept,
  ownUpstreams,
  spoolFolder,
  openSettings,
  registerStorage,
  registerAuthentication,
  registerProxySources,
  registerRoutes,
  registerEvents,
} from './wiring.js';

export default definePlugin({
  name: 'packages',
  version: '1.0.0',
  description: 'Package registries: the shared store of packages, versions and files',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0', announcements: '^1.0.0', repositories: '^1.0.0' },
  optional: { admin: '^1.0.0', markup: '^2.0.0' },
  provides: [
    packageStore,
    packageAccess,
    packageAccessSources,
    packageOwnerModel,
    packageFormats,
    packageCreated,
    packageDeleted,
    cleanUpPackages,
    blobs,
    downloads,
    store,
    rules,
    present,
    indexes,
    keys,
    tokens,
    packageIndexes,
    packageTokens,
    signingKeys,
    buildPackageIndex,
    readmeRenderers,
    kept,
    ownUpstreams,
    upstreams,
    trimUpstreams,
  ],
  areas: [keptArea],

  register(host) {
    const opened = openSettings(host);
    const { formats } = opened;
    registerStorage(host, opened);
    registerAuthentication(host, opened);
    registerProxySources(host, opened);
    registerRoutes(host, opened);
    registerEvents(host);
    const cleanUp = host.settings('cron.cleanup_packages', cleanUpSettings);
    host.migrations(new URL('./migrations/', import.meta.url));
    host.contribute(backupSources, {
      key: 'packages',
      caches: { areas: [keptArea], tables: [useTable], folders: [spoolFolder] },
      blobs: namedBlobs,
    });
    host.service(present, { accounts, repositories, repositoryAccess, store }, (services) => new Present(services));
    host.contribute(resources, { accounts, memberships, site }, protocolResolver);
    host.contribute(resources, { accounts, memberships, site, store, packageAccess }, (services) =>
      packageResolver(services, services.store, services.packageAccess, formats),
    );
    host.contribute(repositoryUnits, {
      key: 'packages',
      label: t.later('list.title'),
      order: 70,
      field: 'has_packages',
    });
    host.job(buildPackageIndex, { attempts: 5 }, { indexes }, ({ ownerId, type }, services) =>
      services.indexes.settle(ownerId, type),
    );
    host.job(cleanUpPackages, { attempts: 2 }, { blobs, rules, store }, async (_payload, services, context) => {
      if (!cleanUp.ENABLED) return;
      const removed = await services.rules.run(context.signal);
      if (removed) context.log.info('clean-up rules removed versions of packages', { versions: removed });
      await services.store.removeEmptyPackages();
      const gone = await services.blobs.sweep(Date.now() - cleanUp.OLDER_THAN_HOURS * 3_600_000, context.signal);
      if (gone) context.log.info('unused content of packages was removed', { blobs: gone });
    });
    host.job(trimUpstreams, { attempts: 2 }, { kept, ownUpstreams }, async (_payload, services, context) => {
      await services.ownUpstreams.sweep();
      const bytes = await services.kept.trim(context.signal);
      if (bytes) context.log.info('content of upstream registries was removed', { bytes });
    });
    host.schedule('trim-upstreams', '45 0 * * *', trimUpstreams, {}, { taskName: 'trim_package_upstreams' });
    host.doctor('contents', { blobs }, (services, { fix }) => services.blobs.check(fix));
    host.schedule('clean-up', '0 0 * * *', cleanUpPackages, {}, { taskName: 'cleanup_packages' });
    host.onStart({ downloads, kept }, async (services) => async () => {
      await services.downloads.counts.close();
      await services.kept.uses.close();
    });
  },
});
