import {
  createMenu,
  database,
  definePlugin,
  defineService,
  jobs,
  locks,
  outbound,
  resources,
  scheduleTask,
  site,
  Encryption,
  type Database,
  type Site,
} from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { gitReader, gitRemotes, gitStore, refChecks, refsUpdated } from '@mortise/git/api';
import { gitSessionChecks } from '@mortise/git-transport/api';
import { lfsObjects } from '@mortise/lfs/api';
import { notifications } from '@mortise/notifications/api';
import {
  repositories,
  repositoryAccess,
  repositoryDefaults,
  repositoryEdits,
  repositoryFeatures,
  repositoryCreator,
  repositoryMembers,
  repositoryPages,
  repositoryResolver,
  repositorySettingsMenu,
  type Repository,
} from '@mortise/repositories/api';
import { pullMirrors, syncPullMirror, syncPushMirror, updateMirrors } from './api.js';
import { newMirrorPages } from './pages/new-mirror.js';
import { mirrorPages } from './pages/routes.js';
import { administeredResolver } from './routes/administered-resource.js';
import { pullRoutes } from './routes/pull.js';
import { pushRoutes } from './routes/push.js';
import { CredentialCipher } from './services/credentials.js';
import { startDueMirrors } from './services/due-mirrors.js';
import { mirrorEdit } from './services/edit-fields.js';
import { FailureNotice } from './services/failure-notice.js';
import { LfsTransfer } from './services/lfs-transfer.js';
import { MirrorCreator } from './services/mirror-creator.js';
import { PullMirrorService } from './services/pull-mirrors.js';
import { PullSync } from './services/pull-sync.js';
import { PushMirrorService } from './services/push-mirrors.js';
import { PushSync } from './services/push-sync.js';
import { mirrorRefCheck, mirrorSessionCheck } from './services/read-only.js';
import { RequestedPushes } from './services/requested-pushes.js';
import { runLimits } from './services/run-limits.js';
import { RunLog } from './services/runs.js';
import { mirrorSettings, updateSettings } from './settings.js';
import { t } from './texts/index.js';

/** Not part of the contract. */
const pullService = defineService<PullMirrorService>('mirrors.pullService');
const pushService = defineService<PushMirrorService>('mirrors.pushService');
const pullSync = defineService<PullSync>('mirrors.pullSync');
const pushSync = defineService<PushSync>('mirrors.pushSync');
const lfsTransfer = defineService<LfsTransfer>('mirrors.lfs');
const failureNotice = defineService<FailureNotice>('mirrors.failureNotice');

export default definePlugin({
  name: 'mirrors',
  version: '1.0.0',
  description: 'Repositories that follow others, and others that follow ours',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0', git: '^1.0.0', 'git-transport': '^1.0.0', repositories: '^1.0.0' },
  optional: { lfs: '^1.0.0', notifications: '^1.0.0' },
  provides: [
    pullMirrors,
    pullService,
    pushService,
    pullSync,
    pushSync,
    lfsTransfer,
    failureNotice,
    syncPullMirror,
    syncPushMirror,
    updateMirrors,
  ],

  register(host) {
    const settings = host.settings('mirror', mirrorSettings);
    const limits = host.settings('cron.update_mirrors', updateSettings);
    host.migrations(new URL('./migrations/', import.meta.url));
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
      remotes: gitRemotes,
      store: gitStore,
      reader: gitReader,
      lfs: lfsTransfer,
      notice: failureNotice,
      accounts,
      site,
    };
    const own = ({ site, database }: { readonly site: Site; readonly database: Database }) => ({
      credentials: new CredentialCipher(new Encryption(site.secret('mirrors'))),
      runs: new RunLog(database),
      log: host.log,
    });
    host.service(pullSync, syncServices, (services) => new PullSync({ ...services, ...own(services) }));
    host.service(pushSync, syncServices, (services) => new PushSync({ ...services, ...own(services) }));
    host.service(
      pullService,
      { database, jobs, remotes: gitRemotes, repositories, sync: pullSync, site },
      (services) => new PullMirrorService({ ...services, ...own(services), settings }),
    );
    host.service(
      pullMirrors,
      { mirrors: pullService, store: gitStore, repositories, defaults: repositoryDefaults, making: repositoryCreator },
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
      { database, jobs, remotes: gitRemotes, site },
      (services) =>
        new PushMirrorService({
          ...services,
          ...own(services),
          settings,
          siteHost: new URL(services.site.rootUrl).hostname,
        }),
    );

    const runKind = { attempts: 20, leaseMs: 60_000, ...runLimits };
    host.job(syncPullMirror, runKind, { sync: pullSync }, ({ repositoryId, startedBy }, { sync }, { signal }) =>
      sync.run(repositoryId, startedBy, signal),
    );
    host.job(
      syncPushMirror,
      runKind,
      { sync: pushSync },
      async ({ pushMirrorId, startedBy }, { sync }, { signal }) =>
        void (await sync.run(pushMirrorId, startedBy, signal)),
    );
    host.job(updateMirrors, { attempts: 1 }, { database, jobs, pushMirrors: pushService }, (_payload, services) =>
      startDueMirrors(services, limits),
    );
    if (settings.ENABLED)
      scheduleTask(
        host,
        {
          id: 'update',
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

    const readOnly = { repositories, pullMirrors: pullService };
    host.contribute(refChecks, readOnly, mirrorRefCheck);
    host.contribute(gitSessionChecks, readOnly, mirrorSessionCheck);
    host.contribute(repositoryEdits, { pullMirrors: pullService }, (services) => mirrorEdit(services.pullMirrors));
    host.contribute(repositoryFeatures, { key: 'mirrors', disabled: !settings.ENABLED });
    host.contribute(repositorySettingsMenu, {
      key: 'mirrors',
      label: t.later('page.title'),
      icon: 'mirror',
      order: 45,
      href: 'mirrors',
    });
    if (settings.ENABLED && !settings.DISABLE_NEW_PULL)
      host.contribute(createMenu, { key: 'mirror', label: t.later('new.title'), href: '/repo/mirror', order: 15 });
    host.routes({ pullMirrors, making: repositoryCreator, site }, (services) =>
      newMirrorPages({ ...services, settings }),
    );
    host.routes({ pullMirrors }, pullRoutes);
    host.contribute(resources, { resolver: repositoryResolver }, ({ resolver }) => administeredResolver(resolver));
    host.routes({ pushMirrors: pushService, pushSync }, (services) =>
      pushRoutes({ ...services, requestedPushes: new RequestedPushes(services, runLimits) }),
    );
    host.routes(
      { pullMirrors: pullService, pushMirrors: pushService, database, pages: repositoryPages, site },
      (services) => mirrorPages({ ...services, runs: new RunLog(services.database), settings }),
    );
  },
});
