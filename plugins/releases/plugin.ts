import { cache, database, definePlugin, events, languages, locks, site } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { announcementKinds, announcementModels, announcements } from '@mortise/announcements/api';
import { attachmentKinds, attachments } from '@mortise/attachments/api';
import { branchRenamed } from '@mortise/refs/api';
import { gitReader, gitWriter, refChecks, refUpdates, refsUpdated } from '@mortise/git/api';
import { markup } from '@mortise/markup/api';
import {
  repositories,
  repositoryAccess,
  repositoryDeleting,
  repositoryPages,
  repositorySidebar,
  repositoryTabs,
  repositoryUnits,
} from '@mortise/repositories/api';
import { releaseDeleted, releaseEdited, releasePublished, releases } from './api.js';
import { followTags, heldTags } from './events/follow.js';
import { announceRelease, releaseKind } from './events/announce.js';
import { sweepReleases } from './jobs/files.js';
import { formPages } from './pages/form-pages.js';
import { releasePages } from './pages/release-pages.js';
import { latestBox } from './pages/sidebar.js';
import { assetRoutes } from './routes/assets.js';
import { downloadRoutes } from './routes/downloads.js';
import { feedRoutes } from './routes/feeds.js';
import { releaseRoutes } from './routes/releases.js';
import { ReleaseFiles } from './services/files.js';
import { checkReleases } from './services/doctor.js';
import { makeRoom, room } from './services/room.js';
import { releaseSettings } from './settings.js';
import { t } from './texts/index.js';

export default definePlugin({
  name: 'releases',
  version: '1.0.0',
  description: 'Releases with notes and files',
  sdk: '^1.0.0',
  requires: {
    accounts: '^1.0.0',
    announcements: '^1.0.0',
    git: '^1.0.0',
    repositories: '^1.0.0',
    attachments: '^1.0.0',
    refs: '^1.0.0',
    markup: '^2.0.0',
  },
  provides: [releases, room, releasePublished, releaseEdited, releaseDeleted, sweepReleases],

  register(host) {
    const settings = host.settings('repository.release', releaseSettings);
    host.migrations(new URL('./migrations/', import.meta.url));

    host.service(
      room,
      {
        database,
        events,
        locks,
        cache,
        attachments,
        site,
        accounts,
        git: gitReader,
        writer: gitWriter,
        refs: refUpdates,
        repositories,
        repositoryAccess,
      },
      (services) => makeRoom(services, settings),
    );
    host.service(releases, { room }, (services) => services.room.shared);
    host.contribute(
      attachmentKinds,
      { database, room, repositories, repositoryAccess },
      (services) => new ReleaseFiles({ ...services, reader: services.room.reader, settings }),
    );

    host.routes({ room }, (services) => releaseRoutes(services.room));
    host.routes({ room, attachments }, (services) => {
      const parts = { reader: services.room.reader, attachments: services.attachments };
      return [...assetRoutes(parts), ...downloadRoutes(parts)];
    });
    host.routes({ room, markup, languages }, (services) =>
      feedRoutes(services.room, services.markup, services.languages),
    );
    host.routes({ room, markup, pages: repositoryPages }, (services) =>
      releasePages(services.room, services.markup, services.pages),
    );
    host.routes({ room, markup, pages: repositoryPages }, (services) =>
      formPages(services.room, services.markup, services.pages),
    );
    host.contribute(repositoryUnits, {
      key: 'releases',
      label: t.later('tab'),
      order: 40,
      field: 'has_releases',
      record: (_unit, { releaseCount }) => ({ release_counter: releaseCount }),
    });
    host.contribute(repositoryTabs, {
      key: 'releases',
      label: t.later('tab'),
      icon: 'tag',
      order: 50,
      href: 'releases',
      visible: ({ context }) => context.may('read', 'releases'),
      count: ({ context }) => context.repository.releaseCount,
    });
    host.contribute(repositorySidebar, { room }, (services) => latestBox(services.room));

    host.contribute(refChecks, { room }, (services) => heldTags(services.room.reader));
    host.on(refsUpdated, 'within', 'follow-tags', { room }, (moved, services) =>
      followTags(services.room.ledger, moved),
    );
    host.on(branchRenamed, 'within', 'follow-branch', { room }, ({ repositoryId, from, to }, services) =>
      services.room.ledger.branchRenamed(repositoryId, from, to),
    );
    host.on(repositoryDeleting, 'within', 'leave-nothing', { room }, ({ repositoryId }, services) =>
      services.room.ledger.removeAll(repositoryId),
    );
    host.contribute(announcementKinds, { models: announcementModels, repositories, room }, releaseKind);
    host.on(releasePublished, 'within', 'announce-published', { announcements }, (event, services) =>
      announceRelease('published', event, services),
    );
    host.on(releaseEdited, 'within', 'announce-edited', { announcements }, (event, services) =>
      announceRelease('updated', event, services),
    );
    host.on(releaseDeleted, 'within', 'announce-deleted', { announcements }, (event, services) =>
      announceRelease('deleted', event, services),
    );

    host.job(sweepReleases, { attempts: 1 }, { room }, async (_payload, services) => {
      await services.room.releases.sweep();
    });
    host.schedule('sweep', '41 * * * *', sweepReleases, {});
    host.doctor('releases', { room }, (services, options) => checkReleases(services.room, options));
  },
});
