import { database, definePlugin, fromPackage, events, site } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { gitReader, refsUpdated } from '@mortise/git/api';
import { repositories, repositoryCreated, repositoryDeleted, repositoryRenamed } from '@mortise/repositories/api';
import { activityRecorded, activityEventKinds, activityModels, activityEvents } from './api.js';
import { recordPush } from './events/pushes.js';
import { recordCreated, recordDeleted, recordMoved } from './events/repositories.js';
import { createKind, deleteKind, pushKind } from './events/reference-kinds.js';
import { forkKind, repositoryKind } from './events/repository-kinds.js';
import { ActivityRecorder } from './services/activity-recorder.js';
import { PayloadBuilder } from './services/payload-builder.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [activityEvents, activityModels, activityEventKinds, activityRecorded],

  register(host) {
    host.migrations(new URL('./migrations/', import.meta.url));
    host.service(activityEvents, { database, events }, (services) => new ActivityRecorder(services));
    host.service(
      activityModels,
      { accounts, repositories, gitReader, site },
      (services) => new PayloadBuilder(services),
    );

    const deps = { models: activityModels, repositories, gitReader } as const;
    host.contribute(activityEventKinds, deps, pushKind);
    host.contribute(activityEventKinds, deps, createKind);
    host.contribute(activityEventKinds, deps, deleteKind);
    host.contribute(activityEventKinds, deps, forkKind);
    host.contribute(activityEventKinds, deps, repositoryKind);

    host.on(refsUpdated, 'within', 'push', { activityEvents }, recordPush);
    host.on(repositoryCreated, 'within', 'created', { activityEvents, repositories }, recordCreated);
    host.on(repositoryRenamed, 'within', 'moved', { activityEvents }, recordMoved);
    host.on(repositoryDeleted, 'within', 'deleted', { activityEvents }, recordDeleted);
  },
});
