import {
  backupSources,
  database,
  definePlugin,
  fromPackage,
  defineService,
  locks,
  site,
  storage,
  takeoverMappings,
  authMethods,
  scheduleTask,
} from '@mortise/plugin-sdk';
import { accounts, publicKeys, storedBytes } from '@mortise/accounts/api';
import { mediaSources } from '@mortise/files/api';
import { externalContents, gitProcesses, gitReader, gitStore, refChecks } from '@mortise/git/api';
import { sshCommands } from '@mortise/git-ssh/api';
import {
  deployKeys,
  repositories,
  repositoryAccess,
  repositoryCreated,
  repositoryDeleting,
  repositoryFeatures,
  repositoryPages,
  repositorySettingsMenu,
  repositoryQuota,
} from '@mortise/repositories/api';
import { collectLfsGarbage, lfsLocks, lfsObjects } from './contract/lfs.js';
import { copyObjects, forgetRepository } from './events/repository-events.js';
import { lfsPages } from './pages/routes.js';
import { lockRoutes } from './routes/locks.js';
import { objectRoutes } from './routes/objects.js';
import { lfsTokenMethod } from './services/auth-method.js';
import { BatchService } from './services/batch-service.js';
import { checkContents, namedBlobs } from './services/doctor.js';
import { lfsExternalContent } from './services/external-content.js';
import { GarbageCollector } from './services/garbage-collector.js';
import { LfsGate } from './services/lfs-gate.js';
import { lockCheck } from './services/lock-check.js';
import { LockService } from './services/lock-service.js';
import { lfsMedia } from './services/media.js';
import { objectBytes, ObjectService } from './services/object-service.js';
import { PointerScan } from './services/pointer-scan.js';
import { authenticateCommand } from './services/authenticate-command.js';
import { LfsTokens } from './services/lfs-tokens.js';
import { garbageSettings, lfsSettings } from './settings.js';
import { t } from './texts/index.js';

/** Shared inside this plugin only. */
const gate = defineService<LfsGate>('lfs.gate');
const tokens = defineService<LfsTokens>('lfs.tokens');
const scan = defineService<PointerScan>('lfs.scan');
const objects = defineService<ObjectService>('lfs.ownObjects');
const lockList = defineService<LockService>('lfs.ownLocks');
const collector = defineService<GarbageCollector>('lfs.collector');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [lfsObjects, lfsLocks, collectLfsGarbage, gate, tokens, scan, objects, lockList, collector],

  register(host) {
    const settings = host.settings('server', lfsSettings);
    const collecting = host.settings('cron.gc_lfs', garbageSettings);
    const enabled = settings.LFS_START_SERVER;
    host.migrations(new URL('./migrations/', import.meta.url));

    host.service(gate, { repositories, access: repositoryAccess }, (services) => new LfsGate(services));
    host.service(tokens, { site }, ({ site }) => new LfsTokens(settings.LFS_JWT_SECRET || site.secret('lfs')));
    host.service(
      scan,
      { gitProcesses, gitStore },
      (services) => new PointerScan(services.gitProcesses, services.gitStore),
    );
    host.service(
      objects,
      { database, locks, storage, repositories, repositoryQuota, scan },
      (services) => new ObjectService({ ...services, enabled, maxSize: settings.LFS_MAX_FILE_SIZE }),
    );
    host.service(lfsObjects, { objects }, (services) => services.objects);
    host.service(lockList, { database }, (services) => new LockService(services.database));
    host.service(lfsLocks, { lockList }, (services) => services.lockList);
    host.service(
      collector,
      { database, locks, scan, objects },
      (services) => new GarbageCollector({ ...services, area: services.objects.area, settings: collecting }),
    );

    host.contribute(storedBytes, { key: 'lfs', count: objectBytes });
    host.contribute(repositoryFeatures, { key: 'lfs', disabled: !enabled });
    host.on(repositoryCreated, 'within', 'copy-objects', { objects }, ({ repositoryId, forkOfId }, services) =>
      copyObjects(services.objects, forkOfId, repositoryId),
    );
    host.contribute(externalContents, { objects }, (services) => lfsExternalContent(services.objects));
    host.on(repositoryDeleting, 'within', 'forget-objects', { database }, ({ repositoryId }, services) =>
      forgetRepository(services.database, repositoryId),
    );
    host.job(
      collectLfsGarbage,
      { attempts: 2, concurrency: 1, leaseMs: 3_600_000, timeoutMs: 6 * 3_600_000 },
      { collector },
      (_payload, services, context) => services.collector.collect(context.signal, context.log),
    );
    const times = {
      id: 'collect-garbage',
      taskName: 'gc_lfs',
      title: t.later('schedule.collect-garbage'),
      schedule: '41 3 * * *',
    };
    scheduleTask(host, times, collectLfsGarbage, {});
    host.contribute(takeoverMappings, { objects }, (services) => ({
      key: 'lfs',
      tables: async () => (await import('./takeover/tables.js')).tables(() => services.objects.area),
    }));
    host.contribute(backupSources, { key: 'lfs', blobs: namedBlobs });
    host.doctor('contents', { database, objects, collector }, (services, options) => checkContents(services, options));
    if (!enabled) return;

    host.contribute(authMethods, { tokens, accounts, publicKeys, deployKeys }, lfsTokenMethod);
    host.routes({ gate, objects, site }, (services) => {
      const batches = new BatchService(services.objects, settings.LFS_MAX_FILE_SIZE);
      return objectRoutes({ ...services, batches, maxObjects: settings.LFS_MAX_BATCH_SIZE });
    });
    host.routes({ gate, locks: lockList, accounts }, (services) =>
      lockRoutes({ ...services, maxLocks: settings.LFS_LOCKS_PAGING_NUM }),
    );
    host.contribute(refChecks, { locks: lockList, reader: gitReader, accounts }, lockCheck);
    host.contribute(repositorySettingsMenu, {
      key: 'lfs',
      label: t.later('lfs.menu'),
      icon: 'database',
      order: 70,
      href: 'lfs',
      settings: [
        { label: t.later('tab.objects') },
        { label: t.later('tab.pointers') },
        { label: t.later('tab.locks') },
      ],
    });
    host.routes({ objects, locks: lockList, scan, accounts, gitReader, repositoryPages, site }, lfsPages);
    host.whenPresent('files', () =>
      host.contribute(mediaSources, { objects }, (services) => lfsMedia(services.objects)),
    );
    host.whenPresent('git-ssh', () => {
      host.contribute(sshCommands, { gate, tokens, site }, (services) =>
        authenticateCommand({ ...services, expiry: settings.LFS_HTTP_AUTH_EXPIRY }),
      );
    });
  },
});
