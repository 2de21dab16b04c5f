import { join } from 'node:path';
import {
  type PluginHost,
  cache,
  authMethods,
  database,
  defineService,
  events,
  jobs,
  locks,
  outbound,
  parseSize,
  site,
  storage,
  systemActor,
  Encryption,
} from '@mortise/plugin-sdk';
import { overviewCounts, adminMenu, adminPage } from '@mortise/admin/api';
import { accounts, ownerQuota, profileTabs, storedBytes, userDeleting } from '@mortise/accounts/api';
import { activityEventKinds, activityModels, activityEvents } from '@mortise/activity-events/api';
import {
  repositories,
  repositoryAccess,
  repositoryDeleting,
  repositoryPages,
  repositoryTabs,
} from '@mortise/repositories/api';
import { markup } from '@mortise/markup/api';
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
import { packageCreated, packageDeleted } from './contract/packages.js';
import { recordPackage, packageKind } from './events/activity-events.js';
import { auditDeletion } from './services/package-event.js';
import { adminPackageRoutes } from './pages/admin.js';
import { cleanUpPages } from './pages/clean-up.js';
import { packagePages, packageTab } from './pages/packages.js';
import { settingsPages } from './pages/settings.js';
import { readmeRenderer, readmeRenderers } from './services/readme.js';
import { packageRoutes } from './routes/packages.js';
import { protocolRoutes } from './routes/protocols.js';
import { PackageRow } from './models/package.js';
import { AccessService } from './services/access.js';
import { apiKeyMethod } from './services/api-key-method.js';
import { Blobs } from './services/blobs.js';
import { CleanUpRules } from './services/clean-up.js';
import { Downloads } from './services/downloads.js';
import { Indexes } from './services/indexes.js';
import { Keys } from './services/keys.js';
import { emptyHeaderMethod, packageTokenMethod, Tokens } from './services/tokens.js';
import { ProxyCache, defaultLimits } from './services/proxy/proxy-cache.js';
import { ProxySourceService } from './services/proxy/proxy-source-service.js';
import { trimProxyCache } from './jobs/registry-upkeep.js';
import { PackagePresenter } from './services/package-presenter.js';
import { packageBytes, Quota } from './services/quota.js';
import { Store } from './services/store.js';
import { packageSettings } from './settings.js';
import { t } from './texts/index.js';

export const quota = defineService<Quota>('packages.quota');
export const blobs = defineService<Blobs>('packages.blobs');
export const downloads = defineService<Downloads>('packages.downloads');
export const store = defineService<Store>('packages.ownStore');
export const rules = defineService<CleanUpRules>('packages.cleanUpRules');
export const indexes = defineService<Indexes>('packages.ownIndexes');
export const keys = defineService<Keys>('packages.ownKeys');
export const tokens = defineService<Tokens>('packages.ownTokens');
export const present = defineService<PackagePresenter>('packages.present');
export const proxyCache = defineService<ProxyCache>('packages.proxyCache');
export const proxySourceService = defineService<ProxySourceService>('packages.ownProxySources');
export const stagingFolder = 'tmp/package-upstreams';
const anyRegistry = '/api/packages';

/** Settings and extension points that several of the registrations below need. */
export function openSettings(host: PluginHost) {
  const settings = host.settings('packages', packageSettings);
  const formats = host.point(packageFormats);
  const withUpstream = new Set<string>();
  return { settings, formats, withUpstream };
}

type Opened = ReturnType<typeof openSettings>;

export function registerStorage(host: PluginHost, { settings, formats, withUpstream }: Opened): void {
  const sources = host.point(packageAccessSources);
  host.service(
    quota,
    { database, ownerQuota },
    (services) => new Quota(services.database, settings, services.ownerQuota),
  );
  host.contribute(storedBytes, { key: 'packages', count: packageBytes });
  host.service(
    blobs,
    { database, storage, locks, quota },
    (services) => new Blobs(services.database, services.storage, services.locks, services.quota),
  );
  host.service(
    downloads,
    { database, blobs },
    (services) => new Downloads(services.database, services.blobs, host.log),
  );
  host.service(
    indexes,
    { database, jobs, locks, accounts, blobs },
    (services) => new Indexes({ ...services, formats }),
  );
  host.service(packageIndexes, { indexes }, (services) => services.indexes);
  host.service(
    keys,
    { database, locks, site },
    (kernel) =>
      new Keys(
        kernel.database,
        kernel.locks,
        kernel.site,
        new Encryption(kernel.site.secret('packages.keys')),
        settings.SIGNING_KEY_BITS,
      ),
  );
  host.service(signingKeys, { keys }, (services) => services.keys);
  host.service(
    store,
    { database, events, blobs, indexes, downloads, accounts, site, quota },
    (services) => new Store({ ...services, formats, withUpstream }),
  );
  host.service(packageStore, { store }, (services) => services.store);
  host.service(
    rules,
    { database, store },
    (services) => new CleanUpRules(services.database, services.store, formats, host.log),
  );
  host.service(
    packageAccess,
    { repositoryAccess, site },
    (services) => new AccessService(sources, services.repositoryAccess, services.site),
  );
}

export function registerAuthentication(host: PluginHost, { formats }: Opened): void {
  host.service(tokens, { site }, (kernel) => new Tokens(kernel.site.secret('packages.tokens')));
  host.service(packageTokens, { tokens }, (services) => services.tokens);
  const isRegistry = (path: string) =>
    [anyRegistry, ...formats.list().flatMap(({ root }) => (root ? [root.replace(/\/\{owner\}.*$/, '')] : []))].some(
      (root) => path === root || path.startsWith(`${root}/`),
    );
  host.contribute(authMethods, { accounts, tokens }, (services) =>
    packageTokenMethod(services.tokens, services.accounts, isRegistry),
  );
  host.contribute(authMethods, emptyHeaderMethod(isRegistry));
  const methods = host.point(authMethods);
  host.contribute(authMethods, apiKeyMethod(methods, formats, anyRegistry));
}

export function registerProxySources(host: PluginHost, { settings, withUpstream }: Opened): void {
  host.service(
    proxyCache,
    { database, storage, jobs },
    (kernel) =>
      new ProxyCache(
        kernel.database,
        kernel.storage,
        host.log,
        { maxBytes: parseSize(settings.UPSTREAM_SIZE), ...defaultLimits },
        () => kernel.jobs.enqueue(trimProxyCache, {}, { uniqueKey: 'trim' }),
      ),
  );
  host.service(
    proxySourceService,
    { cache, outbound, proxyCache, locks, site },
    (services) =>
      new ProxySourceService({
        ...services,
        settings,
        folder: join(services.site.workDir, stagingFolder),
        formats: withUpstream,
        log: host.log,
      }),
  );
  host.service(proxySources, { proxySourceService }, (services) => services.proxySourceService);
}

export function registerRoutes(host: PluginHost, { settings, formats }: Opened): void {
  if (settings.ENABLED) {
    host.routes({ ownerQuota, packageAccess, site }, ({ packageAccess: access, ...services }) =>
      protocolRoutes({ ...services, formats, access }),
    );
    host.routes({ database, store, present, repositories, repositoryAccess }, (services) =>
      packageRoutes({ ...services, formats }),
    );
    const readmes = host.point(readmeRenderers);
    host.whenPresent('markup', () =>
      host.contribute(readmeRenderers, { markup }, (services) => readmeRenderer(services.markup)),
    );
    host.routes({ database, store, packageAccess, repositories, repositoryPages, site }, (services) =>
      packagePages({ ...services, access: services.packageAccess, formats, readmes }),
    );
    host.routes({ rules, site }, (services) => cleanUpPages({ ...services, formats }));
    host.routes({ database, store, repositories, repositoryAccess, site }, (services) =>
      settingsPages({ ...services, formats }),
    );
    host.contribute(profileTabs, { store, packageAccess, site }, (services) =>
      packageTab({ ...services, access: services.packageAccess, formats }),
    );
    host.contribute(repositoryTabs, {
      key: 'packages',
      label: t.later('list.title'),
      icon: 'package',
      order: 70,
      href: 'packages',
      visible: ({ context }) => context.may('read', 'packages'),
    });
    host.whenPresent('admin', () => {
      const entry = { key: 'packages', label: t.later('list.title'), href: '/-/admin/packages' } as const;
      host.contribute(adminMenu, { ...entry, icon: 'package', order: 30 });
      host.contribute(overviewCounts, { database }, (services) => ({
        ...entry,
        order: 30,
        count: () => services.database.query(PackageRow).where('is_internal', false).resultSize(),
      }));
      host.routes({ accounts, adminPage, database, site, store }, (services) =>
        adminPackageRoutes({ ...services, formats }),
      );
    });
  }
}

export function registerEvents(host: PluginHost): void {
  host.on(repositoryDeleting, 'within', 'unlink', { store }, ({ repositoryId }, services) =>
    services.store.unlinkRepository(repositoryId),
  );
  host.on(userDeleting, 'within', 'owned-packages', { store, keys, rules }, async ({ userId, purge }, services) => {
    await services.store.leaveOwner(userId, purge, systemActor('packages'));
    await services.keys.forget(userId);
    await services.rules.remove(userId);
  });
  const ownerModel = host.point(packageOwnerModel);
  host.contribute(activityEventKinds, { models: activityModels, accounts, repositories, store }, (services) =>
    packageKind({ ...services, ownerModel }),
  );
  host.on(packageCreated, 'within', 'record-created', { activityEvents }, (event, services) =>
    recordPackage('created', event, services),
  );
  host.on(packageDeleted, 'within', 'record-deleted', { activityEvents }, (event, services) =>
    recordPackage('deleted', event, services),
  );
  host.on(packageDeleted, 'within', 'audit', { events }, auditDeletion);
}
