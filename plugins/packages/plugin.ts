import { join } from 'node:path';
import {
  cache,
  authMethods,
  backupSources,
  database,
  definePlugin,
  defineService,
  events,
  jobs,
  locks,
  outbound,
  site,
  storage,
  resources,
  systemActor,
  Vault,
} from '@mortise/plugin-sdk';
import { adminFacts, adminMenu, adminPage } from '@mortise/admin/api';
import { accounts, memberships, profileTabs, userDeleting } from '@mortise/accounts/api';
import { announcementKinds, announcementModels, announcements } from '@mortise/announcements/api';
import {
  repositories,
  repositoryAccess,
  repositoryDeleting,
  repositoryPages,
  repositoryTabs,
  repositoryUnits,
} from '@mortise/repositories/api';
import { markup } from '@mortise/markup/api';
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
import { announcePackage, packageKind } from './events/announce.js';
import { adminPackageRoutes } from './pages/admin.js';
import { cleanUpPages } from './pages/clean-up.js';
import { packagePages, packageTab } from './pages/packages.js';
import { settingsPages } from './pages/settings.js';
import { readmeRenderer, readmeRenderers } from './services/readme.js';
import { packageRoutes } from './routes/packages.js';
import { protocolRoutes } from './routes/protocols.js';
import { PackageRow } from './models/rows.js';
import { AccessService, packageResolver, protocolResolver } from './services/access.js';
import { bareKeyMethod } from './services/bare-keys.js';
import { Blobs, namedBlobs } from './services/blobs.js';
import { CleanUpRules } from './services/clean-up.js';
import { Downloads } from './services/downloads.js';
import { Indexes } from './services/indexes.js';
import { Keys } from './services/keys.js';
import { emptyHeaderMethod, packageTokenMethod, Tokens } from './services/tokens.js';
import { KeptContent, keptArea, usualLimits, useTable } from './services/upstream/kept.js';
import { UpstreamService } from './services/upstream/upstreams.js';
import { buildPackageIndex, trimUpstreams } from './jobs.js';
import { Present } from './services/present.js';
import { Quota } from './services/quota.js';
import { Store } from './services/store.js';
import { cleanUpSettings, packageSettings, parseSize } from './settings.js';
import { t } from './texts/index.js';

const blobs = defineService<Blobs>('packages.blobs');
const downloads = defineService<Downloads>('packages.downloads');
const store = defineService<Store>('packages.ownStore');
const rules = defineService<CleanUpRules>('packages.cleanUpRules');
const indexes = defineService<Indexes>('packages.ownIndexes');
const keys = defineService<Keys>('packages.ownKeys');
const tokens = defineService<Tokens>('packages.ownTokens');
const present = defineService<Present>('packages.present');
const kept = defineService<KeptContent>('packages.keptContent');
const ownUpstreams = defineService<UpstreamService>('packages.ownUpstreams');
const spoolFolder = 'tmp/package-upstreams';

const anyRegistry = '/api/packages';

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
    const settings = host.settings('packages', packageSettings);
    const cleanUp = host.settings('cron.cleanup_packages', cleanUpSettings);
    const formats = host.point(packageFormats);
    const sources = host.point(packageAccessSources);
    const withUpstream = new Set<string>();
    host.migrations(new URL('./migrations/', import.meta.url));

    host.service(
      blobs,
      { database, storage, locks },
      (kernel) => new Blobs(kernel.database, kernel.storage, kernel.locks, new Quota(kernel.database, settings)),
    );
    host.service(
      downloads,
      { database, blobs },
      (services) => new Downloads(services.database, services.blobs, host.log),
    );
    host.service(
      indexes,
      { database, jobs, locks, accounts, blobs },
      (services) => new Indexes({ ...services, formats, log: host.log }),
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
          new Vault(kernel.site.secret('packages.keys')),
          settings.SIGNING_KEY_BITS,
        ),
    );
    host.service(signingKeys, { keys }, (services) => services.keys);
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
    host.contribute(authMethods, bareKeyMethod(methods, formats, anyRegistry));
    host.service(
      store,
      { database, events, blobs, indexes, downloads, accounts, site },
      (services) => new Store({ ...services, formats, withUpstream, quota: new Quota(services.database, settings) }),
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
    host.service(
      kept,
      { database, storage, jobs },
      (kernel) =>
        new KeptContent(
          kernel.database,
          kernel.storage,
          host.log,
          { maxBytes: parseSize(settings.UPSTREAM_SIZE), ...usualLimits },
          () => kernel.jobs.enqueue(trimUpstreams, {}, { uniqueKey: 'trim' }),
        ),
    );
    host.service(
      ownUpstreams,
      { cache, outbound, kept, locks, site },
      (services) =>
        new UpstreamService({
          ...services,
          settings,
          folder: join(services.site.workDir, spoolFolder),
          formats: withUpstream,
          log: host.log,
        }),
    );
    host.service(upstreams, { ownUpstreams }, (services) => services.ownUpstreams);
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
    if (settings.ENABLED) {
      host.routes({ packageAccess, site }, (services) =>
        protocolRoutes({ formats, access: services.packageAccess, site: services.site }),
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
        host.contribute(adminFacts, { database }, (services) => ({
          ...entry,
          order: 30,
          count: () => services.database.query(PackageRow).where('is_internal', false).resultSize(),
        }));
        host.routes({ accounts, adminPage, database, site, store }, (services) =>
          adminPackageRoutes({ ...services, formats }),
        );
      });
    }

    host.on(repositoryDeleting, 'within', 'unlink', { store }, ({ repositoryId }, services) =>
      services.store.unlinkRepository(repositoryId),
    );
    host.on(userDeleting, 'within', 'owned-packages', { store, keys, rules }, async ({ userId, purge }, services) => {
      await services.store.leaveOwner(userId, purge, systemActor('packages'));
      await services.keys.forget(userId);
      await services.rules.remove(userId);
    });
    host.job(buildPackageIndex, { attempts: 5 }, { indexes }, ({ ownerId, type }, services) =>
      services.indexes.settle(ownerId, type),
    );

    const ownerModel = host.point(packageOwnerModel);
    host.contribute(announcementKinds, { models: announcementModels, accounts, repositories, store }, (services) =>
      packageKind({ ...services, ownerModel }),
    );
    host.on(packageCreated, 'within', 'announce-created', { announcements }, (event, services) =>
      announcePackage('created', event, services),
    );
    host.on(packageDeleted, 'within', 'announce-deleted', { announcements }, (event, services) =>
      announcePackage('deleted', event, services),
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
