import { database, definePlugin, events, site } from '@mortise/plugin-sdk';
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
  name: 'announcements',
  version: '1.0.0',
  description: 'One stream of events for activity feeds and webhooks',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0', git: '^1.0.0', repositories: '^1.0.0' },
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
