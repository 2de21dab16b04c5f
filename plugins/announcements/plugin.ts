import { database, definePlugin, fromPackage, events, site } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { gitReader, refsUpdated } from '@mortise/git/api';
import { repositories, repositoryCreated, repositoryDeleted, repositoryRenamed } from '@mortise/repositories/api';
import { announced, announcementKinds, announcementModels, announcements } from './api.js';
import { announcePush } from './events/pushes.js';
import { announceCreated, announceDeleted, announceMoved } from './events/repositories.js';
import { createKind, deleteKind, pushKind } from './events/reference-kinds.js';
import { forkKind, repositoryKind } from './events/repository-kinds.js';
import { Announcer } from './services/announcer.js';
import { Models } from './services/models.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [announcements, announcementModels, announcementKinds, announced],

  register(host) {
    host.service(announcements, { database, events }, (services) => new Announcer(services));
    host.service(announcementModels, { accounts, repositories, gitReader, site }, (services) => new Models(services));

    const deps = { models: announcementModels, repositories, gitReader } as const;
    host.contribute(announcementKinds, deps, pushKind);
    host.contribute(announcementKinds, deps, createKind);
    host.contribute(announcementKinds, deps, deleteKind);
    host.contribute(announcementKinds, deps, forkKind);
    host.contribute(announcementKinds, deps, repositoryKind);

    host.on(refsUpdated, 'within', 'push', { announcements }, announcePush);
    host.on(repositoryCreated, 'within', 'created', { announcements, repositories }, announceCreated);
    host.on(repositoryRenamed, 'within', 'moved', { announcements }, announceMoved);
    host.on(repositoryDeleted, 'within', 'deleted', { announcements }, announceDeleted);
  },
});
