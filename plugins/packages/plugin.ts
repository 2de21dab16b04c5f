import {
  backupSources,
  database,
  definePlugin,
  fromPackage,
  Encryption,
  site,
  resources,
  siteFeatures,
  takeoverMappings,
  scheduleTask,
} from '@mortise/plugin-sdk';
import { accounts, memberships } from '@mortise/accounts/api';
import { repositories, repositoryAccess, repositoryUnits } from '@mortise/repositories/api';
import {
  packageAccess,
  packageAccessSources,
  packageFormats,
  packageIndexes,
  packageOwnerModel,
  packageStore,
  packageTokens,
  signingKeys,
  proxySources,
} from './api.js';
import { cleanUpPackages, packageCreated, packageDeleted } from './contract/packages.js';
import { readmeRenderers } from './services/readme.js';
import { packageResolver, protocolResolver } from './services/access.js';
import { namedBlobs } from './services/blobs.js';
import { proxyCacheArea, useTable } from './services/proxy/proxy-cache.js';
import { buildPackageIndex, trimProxyCache } from './jobs/registry-upkeep.js';
import { PackagePresenter } from './services/package-presenter.js';
import { cleanUpSettings } from './settings.js';
import { t } from './texts/index.js';
import {
  blobs,
  quota,
  downloads,
  store,
  rules,
  indexes,
  keys,
  tokens,
  present,
  proxyCache,
  proxySourceService,
  stagingFolder,
  openSettings,
  registerStorage,
  registerAuthentication,
  registerProxySources,
  registerRoutes,
  registerEvents,
} from './wiring.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
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
    quota,
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
    proxyCache,
    proxySourceService,
    proxySources,
    trimProxyCache,
  ],
  areas: [proxyCacheArea],

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
      caches: { areas: [proxyCacheArea], tables: [useTable], folders: [stagingFolder] },
      blobs: namedBlobs,
    });
    host.contribute(takeoverMappings, { database, blobs, site }, (services) => ({
      key: 'packages',
      ignoredTables: ['package_blob_upload'],
      tables: async () =>
        (await import('./takeover/tables.js')).tables({
          format: (type) => formats.get(type),
          area: services.blobs.area,
          encryption: new Encryption(services.site.secret('packages.keys')),
        }),
      afterPass: async (context) =>
        (await import('./takeover/after-pass.js')).afterPass({ database: services.database, formats }, context),
    }));
    host.service(
      present,
      { accounts, repositories, repositoryAccess, store },
      (services) => new PackagePresenter(services),
    );
    host.contribute(resources, { accounts, memberships, site }, protocolResolver);
    host.contribute(resources, { accounts, memberships, site, store, packageAccess }, (services) =>
      packageResolver(services, services.store, services.packageAccess, formats),
    );
    host.contribute(siteFeatures, {
      key: 'packages',
      icon: 'package',
      title: t.later('list.title'),
      text: t.later('feature.text'),
      order: 20,
    });
    host.contribute(repositoryUnits, {
      key: 'packages',
      label: t.later('list.title'),
      order: 70,
      field: 'has_packages',
    });
    host.job(buildPackageIndex, { attempts: 5 }, { indexes }, ({ ownerId, type }, services) =>
      services.indexes.buildPending(ownerId, type),
    );
    host.job(cleanUpPackages, { attempts: 2 }, { blobs, rules, store }, async (_payload, services, context) => {
      if (!cleanUp.ENABLED) return;
      const removed = await services.rules.run(context.signal);
      if (removed)
        context.log.info('clean-up rules removed package versions', { event: 'packages.cleanUp', versions: removed });
      await services.store.removeEmptyPackages();
      const gone = await services.blobs.sweep(Date.now() - cleanUp.OLDER_THAN_HOURS * 3_600_000, context.signal);
      if (gone) context.log.info('removed unused package content', { event: 'packages.sweep', blobs: gone });
    });
    host.job(
      trimProxyCache,
      { attempts: 2 },
      { proxyCache, proxySourceService },
      async (_payload, services, context) => {
        await services.proxySourceService.sweep();
        const bytes = await services.proxyCache.trim(context.signal);
        if (bytes)
          context.log.info('evicted entries of the package proxy cache', { event: 'packages.proxy.evict', bytes });
      },
    );
    host.schedule(
      'trim-upstreams',
      '45 0 * * *',
      trimProxyCache,
      {},
      { taskName: 'trim_package_upstreams', title: t.later('schedule.trim-upstreams') },
    );
    host.doctor('contents', { blobs }, (services, { fix }) => services.blobs.check(fix));
    const cleanUpTimes = {
      id: 'clean-up',
      taskName: 'cleanup_packages',
      title: t.later('schedule.clean-up'),
      schedule: '0 0 * * *',
    };
    scheduleTask(host, cleanUpTimes, cleanUpPackages, {});
    host.onStart({ downloads, proxyCache }, async (services) => async () => {
      await services.downloads.counts.close();
      await services.proxyCache.uses.close();
    });
  },
});
