import { createMenu, database, definePlugin, fromPackage, resources, site } from '@mortise/plugin-sdk';
import { refChecks } from '@mortise/git/api';
import { gitSessionChecks } from '@mortise/git-transport/api';
import {
  repositories,
  repositoryEdits,
  repositoryFeatures,
  repositoryCreator,
  repositoryPages,
  repositoryResolver,
  repositorySettingsMenu,
} from '@mortise/repositories/api';
import { pullMirrors, syncPullMirror, syncPushMirror, updateMirrors } from './contract/mirrors.js';
import { newMirrorPages } from './pages/new-mirror.js';
import { mirrorPages } from './pages/routes.js';
import { administeredResolver } from './routes/administered-resource.js';
import { pullRoutes } from './routes/pull.js';
import { pushRoutes } from './routes/push.js';
import { mirrorEdit } from './services/edit-fields.js';
import { mirrorRefCheck, mirrorSessionCheck } from './services/read-only.js';
import { RequestedPushes } from './services/requested-pushes.js';
import { runLimits } from './services/run-limits.js';
import { RunLog } from './services/runs.js';
import { t } from './texts/index.js';
import {
  pullService,
  pushService,
  pullSync,
  pushSync,
  lfsTransfer,
  failureNotice,
  openSettings,
  registerServices,
  registerRuns,
} from './wiring.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
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
    const opened = openSettings(host);
    const { settings } = opened;
    registerServices(host, opened);
    registerRuns(host, opened);
    host.migrations(new URL('./migrations/', import.meta.url));
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
    host.routes({ pullMirrors, creator: repositoryCreator, site }, (services) =>
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
