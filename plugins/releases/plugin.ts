import {
  cache,
  database,
  definePlugin,
  fromPackage,
  events,
  languages,
  locks,
  site,
  takeoverMappings,
} from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { activityEventKinds, activityModels, activityEvents } from '@mortise/activity-events/api';
import { attachmentKinds, attachments } from '@mortise/attachments/api';
import { branchRenamed } from '@mortise/refs/api';
import { gitReader, gitWriter, refChecks, refUpdates, refsUpdated } from '@mortise/git/api';
import { issues } from '@mortise/issues/api';
import { markup } from '@mortise/markup/api';
import { pulls } from '@mortise/pulls/api';
import {
  repositories,
  repositoryAccess,
  repositoryDeleting,
  repositoryPages,
  repositorySidebar,
  repositoryTabs,
  repositoryUnits,
} from '@mortise/repositories/api';
import { releaseDeleted, releaseEdited, releaseImports, releasePublished, releases } from './contract/releases.js';
import { followTags, heldTags } from './events/follow.js';
import { recordRelease, releaseKind } from './events/activity-events.js';
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
import { MergedPulls, mergedPullSource } from './services/merged-pulls.js';
import { ReleaseImportService } from './services/imports.js';
import { createServices, releaseServices } from './services/services.js';
import { releaseSettings } from './settings.js';
import { t } from './texts/index.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [
    releases,
    releaseImports,
    releaseServices,
    mergedPullSource,
    releasePublished,
    releaseEdited,
    releaseDeleted,
    sweepReleases,
  ],

  register(host) {
    const settings = host.settings('repository.release', releaseSettings);
    host.migrations(new URL('./migrations/', import.meta.url));

    host.service(
      releaseServices,
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
      (services) => createServices(services, host.point(mergedPullSource), settings),
    );
    host.service(releases, { releaseServices }, (services) => services.releaseServices.contract);
    host.service(releaseImports, { database, repositories }, (services) => new ReleaseImportService(services));
    host.contribute(takeoverMappings, { database }, (services) => ({
      key: 'releases',
      tables: async () => (await import('./takeover/tables.js')).tables,
      afterPass: async () => (await import('./takeover/tables.js')).countReleases(services.database),
    }));
    host.contribute(
      attachmentKinds,
      { database, releaseServices, repositories, repositoryAccess },
      (services) => new ReleaseFiles({ ...services, reader: services.releaseServices.reader, settings }),
    );

    host.routes({ releaseServices }, (services) => releaseRoutes(services.releaseServices));
    host.routes({ releaseServices, attachments }, (services) => {
      const { reader, presenter } = services.releaseServices;
      const deps = { reader, presenter, attachments: services.attachments };
      return [...assetRoutes(deps), ...downloadRoutes(deps)];
    });
    host.routes({ releaseServices, markup, languages }, (services) =>
      feedRoutes(services.releaseServices, services.markup, services.languages),
    );
    host.routes({ releaseServices, markup, pages: repositoryPages }, (services) =>
      releasePages(services.releaseServices, services.markup, services.pages),
    );
    host.routes({ releaseServices, markup, pages: repositoryPages }, (services) =>
      formPages(services.releaseServices, services.markup, services.pages),
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
    host.contribute(repositorySidebar, { releaseServices }, (services) => latestBox(services.releaseServices));

    host.whenPresent('pulls', () => {
      host.contribute(mergedPullSource, { accounts, issues, pulls }, (services) => new MergedPulls(services));
    });
    host.contribute(refChecks, { releaseServices }, (services) => heldTags(services.releaseServices.reader));
    host.on(refsUpdated, 'within', 'follow-tags', { releaseServices }, (moved, services) =>
      followTags(services.releaseServices.releaseStore, moved),
    );
    host.on(branchRenamed, 'within', 'follow-branch', { releaseServices }, ({ repositoryId, from, to }, services) =>
      services.releaseServices.releaseStore.branchRenamed(repositoryId, from, to),
    );
    host.on(repositoryDeleting, 'within', 'leave-nothing', { releaseServices }, ({ repositoryId }, services) =>
      services.releaseServices.releaseStore.removeAll(repositoryId),
    );
    host.contribute(activityEventKinds, { models: activityModels, repositories, releaseServices }, releaseKind);
    host.on(releasePublished, 'within', 'record-published', { activityEvents }, (event, services) =>
      recordRelease('published', event, services),
    );
    host.on(releaseEdited, 'within', 'record-edited', { activityEvents }, (event, services) =>
      recordRelease('updated', event, services),
    );
    host.on(releaseDeleted, 'within', 'record-deleted', { activityEvents }, (event, services) =>
      recordRelease('deleted', event, services),
    );

    host.job(sweepReleases, { attempts: 1 }, { releaseServices }, async (_payload, services) => {
      await services.releaseServices.releases.sweep();
    });
    host.schedule('sweep', '41 * * * *', sweepReleases, {}, { title: t.later('schedule.sweep') });
    host.doctor('releases', { releaseServices }, (services, options) =>
      checkReleases(services.releaseServices, options),
    );
  },
});
