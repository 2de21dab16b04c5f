import {
  backupSources,
  database,
  definePlugin,
  fromPackage,
  site,
  storage,
  takeoverMappings,
} from '@mortise/plugin-sdk';
import { accounts, memberships, membershipSources } from '@mortise/accounts/api';
import { gitBackup, gitReader, gitStore, gitTakeover, gitWriter, refUpdates } from '@mortise/git/api';
import { markup } from '@mortise/markup/api';
import * as api from './api.js';
import { demoCommand } from './commands/demo.js';
import { repositoryCommands } from './commands/repositories.js';
import { sweepUnfinished } from './jobs/sweep-unfinished.js';
import { aboutRoutes } from './routes/about.js';
import { avatarRoutes } from './routes/avatar.js';
import { ownershipRoutes } from './routes/ownership.js';
import { memberRoutes } from './routes/members.js';
import { repositoryRoutes } from './routes/repositories.js';
import { siteRoutes } from './routes/site.js';
import { templateRoutes } from './routes/templates.js';
import { topicRoutes } from './routes/topics.js';
import { sitemapRoutes } from './routes/sitemap.js';
import { CommitWriterService } from './services/commit-writer.js';
import { repositoryUnits } from './services/backup.js';
import { descriptionTexts } from './services/descriptions.js';
import { checkFolders, checkRows } from './services/doctor.js';
import { codeUnit } from './units/code.js';
import { namedBlobs } from './services/avatars.js';
import * as own from './services/service-refs.js';
import { registerServices } from './wiring/services.js';
import { avatarSettings, sitemapPageSettings, sitemapSettings } from './settings.js';
import { openSettings, registerPages, registerResources, registerEvents } from './wiring/pages.js';
import { t } from './texts/index.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [
    api.repositories,
    api.repositoryAccess,
    api.repositoryResolver,
    api.repositoryMembers,
    api.deployKeys,
    api.repositoryDefaults,
    api.repositoryQuota,
    api.knownUnits,
    api.repositoryPages,
    api.repositoryCreator,
    api.repositoryCreation,
    api.commitWriter,
    api.commitSigners,
    ...own.ownServices,
    descriptionTexts,
    api.repositoryCreated,
    api.repositoryEdited,
    api.repositoryRenamed,
    api.transferOffered,
    api.repositoryDeleting,
    api.repositoryDeleted,
    api.repositoryTabs,
    api.repositorySettingsMenu,
    api.repositorySidebar,
    api.newRepositoryStarts,
    api.repositoryFeatures,
    api.repositoryButtons,
    api.repositoryCounters,
    api.repositoryRelations,
    api.repositoryWatchers,
    api.accessSources,
    api.branchWriters,
    api.branchAccess,
    api.accessRequirements,
    api.repositoryCreationPolicies,
    api.repositoryUnits,
    api.repositoryVisibilityChanged,
    api.repositoryAccessLost,
    api.repositoryAccessReduced,
    api.sshAddress,
    api.importPage,
    api.repositoryEdits,
    sweepUnfinished,
  ],

  register(host) {
    const opened = openSettings(host);
    const { settings, tabs, buttons, units, repositories, git } = opened;
    registerPages(host, opened);
    registerResources(host, opened);
    registerEvents(host, opened);
    const pictures = host.settings('picture', avatarSettings);
    host.migrations(new URL('./migrations/', import.meta.url));
    host.whenPresent('markup', () => {
      host.contribute(descriptionTexts, { markup }, (services) => ({
        key: 'markup',
        show: (text) => services.markup.emojify(text),
      }));
    });
    const signers = host.point(api.commitSigners);
    host.service(
      api.commitWriter,
      { accounts, reader: gitReader, writer: gitWriter, refs: refUpdates },
      (services) => new CommitWriterService({ ...services, signers }),
    );
    const features = host.point(api.repositoryFeatures);
    host.point(api.repositorySidebar);
    host.contribute(api.repositoryUnits, codeUnit);
    const points = {
      ssh: host.point(api.sshAddress),
      edits: host.point(api.repositoryEdits),
      buttons,
      tabs,
      relations: host.point(api.repositoryRelations),
      watchers: host.point(api.repositoryWatchers),
      access: host.point(api.accessSources),
      requirements: host.point(api.accessRequirements),
      creationPolicies: host.point(api.repositoryCreationPolicies),
      memberships: host.point(membershipSources),
    };
    registerServices({ host, settings, pictures, points, units });
    host.routes(
      {
        accounts,
        repositories,
        presenter: own.presenter,
        access: own.access,
        creation: api.repositoryCreation,
        git,
      },
      (services) => repositoryRoutes({ ...services, settings, units, edits: points.edits }),
    );
    host.routes({ accounts, access: own.access, memberships, members: own.members }, memberRoutes);
    host.routes(
      { transfers: own.transfers, deployKeys: own.deployKeyService, presenter: own.presenter, repositories },
      ownershipRoutes,
    );
    host.routes({ topics: own.topics }, topicRoutes);
    host.routes({ site }, templateRoutes);
    host.routes({ git, licenses: own.licenses }, aboutRoutes);
    host.routes({ avatars: own.avatars, repositories }, avatarRoutes);
    if (host.settings('other', sitemapSettings).ENABLE_SITEMAP) {
      const { SITEMAP_PAGING_NUM: perMap } = host.settings('ui', sitemapPageSettings);
      host.routes({ repositories: api.repositories, site }, (services) => sitemapRoutes({ ...services, perMap }));
    }
    host.routes({}, () => siteRoutes(features));
    host.job(
      sweepUnfinished,
      { attempts: 1 },
      { repositories },
      async (_, services) => void (await services.repositories.sweep()),
    );
    host.schedule('sweep-half-made', '17 * * * *', sweepUnfinished, {}, { title: t.later('schedule.sweep-half-made') });
    host.contribute(backupSources, { backup: gitBackup, store: gitStore }, ({ backup, store }) => ({
      key: 'repositories',
      units: repositoryUnits(backup, store),
      blobs: namedBlobs,
    }));
    host.contribute(
      takeoverMappings,
      { accounts, database, storage, store: gitStore, git: gitTakeover, creator: api.repositoryCreator, repositories },
      ({ storage, ...services }) => ({
        key: 'repositories',
        ignoredTables: ['access', 'repo_archiver', 'repo_indexer_status', 'repo_license', 'language_stat', 'upload'],
        tables: async () =>
          (await import('./takeover/tables.js')).tables({
            ...services,
            avatars: () => storage.area('repo-avatars'),
          }),
        afterPass: async (context) => (await import('./takeover/after-pass.js')).afterPass(services, context),
      }),
    );
    demoCommand(host);
    repositoryCommands(host);
    host.doctor('folders', { database, store: gitStore, accounts, repositories }, (services, options) =>
      checkFolders(services, options),
    );
    host.doctor('rows', { database }, (services) => checkRows(services.database));
    host.onStart({ repositories, deployKeys: own.deployKeyService }, async ({ deployKeys, ...services }) => {
      await services.repositories.sweep();
      return () => deployKeys.uses.close();
    });
  },
});
