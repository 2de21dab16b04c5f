import {
  type PluginHost,
  database,
  events,
  defineService,
  jobs,
  locks,
  outbound,
  scheduleTask,
  site,
  takeoverMappings,
  Encryption,
  type Database,
  type Site,
} from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { gitReader, gitRemotes, gitStore, refsUpdated } from '@mortise/git/api';
import { lfsObjects } from '@mortise/lfs/api';
import { notifications } from '@mortise/notifications/api';
import {
  repositories,
  repositoryAccess,
  repositoryDefaults,
  repositoryCreator,
  repositoryMembers,
  repositoryQuota,
  type Repository,
} from '@mortise/repositories/api';
import { pullMirrors, syncPullMirror, syncPushMirror, updateMirrors } from './contract/mirrors.js';
import { CredentialCipher } from './services/credentials.js';
import { startDueMirrors } from './services/due-mirrors.js';
import { FailureNotice } from './services/failure-notice.js';
import { LfsTransfer } from './services/lfs-transfer.js';
import { MirrorCreator } from './services/mirror-creator.js';
import { PullMirrorService } from './services/pull-mirrors.js';
import { PullSync } from './services/pull-sync.js';
import { PushMirrorService } from './services/push-mirrors.js';
import { PushSync } from './services/push-sync.js';
import { runLimits } from './services/run-limits.js';
import { RunLog } from './services/runs.js';
import { mirrorSettings, updateSettings } from './settings.js';
import { t } from './texts/index.js';

/** Not part of the contract. */
export const pullService = defineService<PullMirrorService>('mirrors.pullService');
export const pushService = defineService<PushMirrorService>('mirrors.pushService');
export const pullSync = defineService<PullSync>('mirrors.pullSync');
export const pushSync = defineService<PushSync>('mirrors.pushSync');
export const lfsTransfer = defineService<LfsTransfer>('mirrors.lfs');
export const failureNotice = defineService<FailureNotice>('mirrors.failureNotice');

/** Settings and extension points that several of the registrations below need. */
export function openSettings(host: PluginHost) {
  const settings = host.settings('mirror', mirrorSettings);
  return { settings };
}

const cipherOf = (site: Pick<Site, 'secret'>): CredentialCipher =>
  new CredentialCipher(new Encryption(site.secret('mirrors')));

type Opened = ReturnType<typeof openSettings>;

export function registerServices(host: PluginHost, { settings }: Opened): void {
  let hasLfs = false;
  host.whenPresent('lfs', () => {
    hasLfs = true;
    host.service(
      lfsTransfer,
      { outbound, remotes: gitRemotes, lfs: lfsObjects },
      (services) => new LfsTransfer(services),
    );
  });
  if (!hasLfs)
    host.service(
      lfsTransfer,
      { outbound, remotes: gitRemotes },
      (services) => new LfsTransfer({ ...services, lfs: undefined }),
    );
  const noticeServices = { accounts, members: repositoryMembers, access: repositoryAccess, site };
  const noticeDeps = (root: Pick<Site, 'url'>) => ({
    settingsUrl: ({ ownerName, name }: Repository) => root.url(`/${ownerName}/${name}/settings/mirrors`),
    log: host.log,
  });
  let hasNotifications = false;
  host.whenPresent('notifications', () => {
    hasNotifications = true;
    host.service(
      failureNotice,
      { ...noticeServices, notifications },
      (services) => new FailureNotice({ ...services, ...noticeDeps(services.site) }),
    );
  });
  if (!hasNotifications)
    host.service(
      failureNotice,
      noticeServices,
      (services) => new FailureNotice({ ...services, ...noticeDeps(services.site), notifications: undefined }),
    );
  const syncServices = {
    database,
    locks,
    repositories,
    repositoryQuota,
    remotes: gitRemotes,
    store: gitStore,
    reader: gitReader,
    lfs: lfsTransfer,
    notice: failureNotice,
    accounts,
    site,
  };
  const ownServices = ({ site, database }: { readonly site: Site; readonly database: Database }) => ({
    credentials: cipherOf(site),
    runs: new RunLog(database),
    log: host.log,
  });
  host.contribute(takeoverMappings, { remotes: gitRemotes, site }, (services) => ({
    key: 'mirrors',
    tables: async () =>
      (await import('./takeover/tables.js')).tables({ ...services, credentials: cipherOf(services.site) }),
  }));
  host.service(pullSync, syncServices, (services) => new PullSync({ ...services, ...ownServices(services) }));
  host.service(pushSync, syncServices, (services) => new PushSync({ ...services, ...ownServices(services) }));
  host.service(
    pullService,
    { database, events, jobs, reader: gitReader, remotes: gitRemotes, repositories, sync: pullSync, site },
    (services) => new PullMirrorService({ ...services, ...ownServices(services), settings }),
  );
  host.service(
    pullMirrors,
    { mirrors: pullService, store: gitStore, repositories, defaults: repositoryDefaults, creator: repositoryCreator },
    (services) => {
      const creator = new MirrorCreator(services);
      return {
        mayCreate: (actor) => services.mirrors.mayCreate(actor),
        create: (...given) => creator.create(...given),
        requestSync: (repositoryId) => services.mirrors.requestSync(repositoryId),
      };
    },
  );
  host.service(
    pushService,
    { database, events, jobs, remotes: gitRemotes, repositories, site },
    (services) =>
      new PushMirrorService({
        ...services,
        ...ownServices(services),
        settings,
        siteHost: new URL(services.site.rootUrl).hostname,
      }),
  );
}

export function registerRuns(host: PluginHost, { settings }: Opened): void {
  const limits = host.settings('cron.update_mirrors', updateSettings);
  const runKind = { attempts: 20, leaseMs: 60_000, ...runLimits };
  host.job(syncPullMirror, runKind, { sync: pullSync }, ({ repositoryId, startedBy }, { sync }, { signal }) =>
    sync.run(repositoryId, startedBy, signal),
  );
  host.job(
    syncPushMirror,
    runKind,
    { sync: pushSync },
    async ({ pushMirrorId, startedBy }, { sync }, { signal }) => void (await sync.run(pushMirrorId, startedBy, signal)),
  );
  host.job(
    updateMirrors,
    { attempts: 1 },
    { database, jobs, repositories, pushMirrors: pushService },
    (_payload, services) => startDueMirrors(services, limits),
  );
  if (settings.ENABLED)
    scheduleTask(
      host,
      {
        id: 'update',
        title: t.later('schedule.update'),
        taskName: 'update_mirrors',
        schedule: '@every 10m',
        does: 'Synchronizes the mirrors that are due',
      },
      updateMirrors,
      {},
    );
  host.on(refsUpdated, 'after', 'follow-commits', { pushMirrors: pushService }, ({ repositoryId, kind }, services) =>
    kind === 'code' ? services.pushMirrors.follow(repositoryId) : Promise.resolve(),
  );
}
