import { cache, database, definePlugin, events, jobs, locks, site, storage } from '@mortise/plugin-sdk';
import { accounts, reservedNames } from '@mortise/accounts/api';
import { branchRenamed } from '@mortise/contents/api';
import { gitReader, gitWriter, refChecks, refUpdates, refsUpdated } from '@mortise/git/api';
import { markup } from '@mortise/markup/api';
import {
  repositories,
  repositoryAccess,
  repositoryDeleting,
  repositoryPages,
  repositorySidebar,
  repositoryTabs,
} from '@mortise/repositories/api';
import { webhookEvents, webhooks } from '@mortise/webhooks/api';
import { attachmentSources, releaseDeleted, releaseEdited, releasePublished, releases } from './api.js';
import { followTags, heldTags } from './events/follow.js';
import { releaseHookEvent, tellRelease } from './events/tell.js';
import { removeFiles, sweepReleases } from './jobs/files.js';
import { formPages } from './pages/form-pages.js';
import { releasePages } from './pages/release-pages.js';
import { latestBox } from './pages/sidebar.js';
import { assetRoutes } from './routes/assets.js';
import { downloadRoutes } from './routes/downloads.js';
import { feedRoutes } from './routes/feeds.js';
import { releaseRoutes } from './routes/releases.js';
import { checkReleases } from './services/doctor.js';
import { makeRoom, room } from './services/room.js';
import { releaseSettings } from './settings.js';

export default definePlugin({
  name: 'releases',
  version: '1.0.0',
  description: 'Releases with notes and files',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0', git: '^1.0.0', repositories: '^1.0.0', contents: '^1.0.0', markup: '^1.0.0' },
  optional: { webhooks: '^1.0.0' },
  provides: [
    releases,
    room,
    releasePublished,
    releaseEdited,
    releaseDeleted,
    attachmentSources,
    removeFiles,
    sweepReleases,
  ],

  register(host) {
    const settings = host.settings('repository.release', releaseSettings);
    const sources = host.point(attachmentSources);
    host.migrations(new URL('./migrations/', import.meta.url));
    host.contribute(reservedNames, { names: ['attachments'] });

    host.service(
      room,
      {
        database,
        events,
        jobs,
        locks,
        cache,
        storage,
        site,
        accounts,
        git: gitReader,
        writer: gitWriter,
        refs: refUpdates,
        repositories,
        repositoryAccess,
      },
      (services) => makeRoom(services, settings, host.log),
    );
    host.service(releases, { room }, (services) => services.room.shared);
    host.contribute(attachmentSources, { room }, (services) => services.room.files);

    host.routes({ room }, (services) => releaseRoutes(services.room));
    host.routes({ room }, (services) => assetRoutes(services.room));
    host.routes({ room }, (services) => downloadRoutes(services.room, sources));
    host.routes({ room, markup }, (services) => feedRoutes(services.room, services.markup));
    host.routes({ room, markup, pages: repositoryPages }, (services) =>
      releasePages(services.room, services.markup, services.pages),
    );
    host.routes({ room, markup, pages: repositoryPages }, (services) =>
      formPages(services.room, services.markup, services.pages),
    );
    host.contribute(repositoryTabs, {
      key: 'releases',
      label: 'Releases',
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
    host.whenPresent('webhooks', () => {
      host.contribute(webhookEvents, releaseHookEvent);
      const parts = { webhooks, accounts, repositories, room };
      host.on(releasePublished, 'after', 'tell-published', parts, (event, services) =>
        tellRelease('published', event, services),
      );
      host.on(releaseEdited, 'after', 'tell-edited', parts, (event, services) =>
        tellRelease('updated', event, services),
      );
      host.on(releaseDeleted, 'after', 'tell-deleted', parts, (event, services) =>
        tellRelease('deleted', event, services, event.record),
      );
    });

    host.job(removeFiles, {}, { room }, ({ uuids }, services) => services.room.assets.removeContents(uuids));
    host.job(sweepReleases, { attempts: 1 }, { room }, async (_payload, services, { signal }) => {
      await services.room.releases.sweep();
      await services.room.assets.sweep(undefined, signal);
    });
    host.schedule('sweep', '41 * * * *', sweepReleases, {});
    host.doctor('releases', { room }, (services, options) => checkReleases(services.room, options));
    host.onStart({ room }, async (services) => () => services.room.counter.close());
  },
});
