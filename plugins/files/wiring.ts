import {
  type PluginHost,
  cache,
  database,
  defineJob,
  defineService,
  locks,
  site,
  storage,
  scheduleTask,
} from '@mortise/plugin-sdk';
import { memberships, profileIntroductions } from '@mortise/accounts/api';
import { gitReader } from '@mortise/git/api';
import {
  commitModels,
  commitVerification,
  commitViews,
  renamedBranches,
  reportCorruptObjects,
} from '@mortise/history/api';
import { markup } from '@mortise/markup/api';
import {
  branchAccess,
  repositories,
  repositoryAccess,
  repositoryDeleted,
  repositoryPages,
  repositorySidebar,
  sshAddress,
} from '@mortise/repositories/api';
import { fileActions, fileChanges, fileNotices, lineActions, mediaSources } from './contract/files.js';
import { allPages } from './pages/page-routes.js';
import { profileReadme } from './pages/profile.js';
import { allRoutes } from './routes/file-services.js';
import { repositoryMarkupRoutes } from './routes/markup.js';
import { ArchiveIndex } from './services/archive-index.js';
import { ArchiveService } from './services/archives.js';
import { ContentsReader } from './services/contents-reader.js';
import { FileOutlines } from './services/symbols/file-outlines.js';
import { archiveCleanupSettings, archiveSettings } from './settings.js';
import { t } from './texts/index.js';

// Services of this plugin alone; not part of the contract.
export const archiveService = defineService<ArchiveService>('files.archives');
export const contentsReader = defineService<ContentsReader>('files.contents');
export const fileOutlines = defineService<FileOutlines>('files.outlines');
export const cleanArchives = defineJob<Record<string, never>>('files.cleanArchives');

export function registerRoutes(host: PluginHost): void {
  const actions = host.point(fileActions);
  const notices = host.point(fileNotices);
  const lines = host.point(lineActions);
  const media = host.point(mediaSources);
  const sidebar = host.point(repositorySidebar);
  const ssh = host.point(sshAddress);
  const { PREFIX_ARCHIVE_FILES: hasPrefix } = host.settings('repository', archiveSettings);
  let hasTokens = false;
  host.whenPresent('auth-token', () => (hasTokens = true));
  const common = { git: gitReader, site, verification: commitVerification, renamedBranches } as const;
  host.routes(
    {
      ...common,
      commits: commitModels,
      contents: contentsReader,
      changes: fileChanges,
      archives: archiveService,
      branchAccess,
      pages: repositoryPages,
    },
    (services) => reportCorruptObjects(allRoutes({ ...services, media, hasPrefix }), host.log),
  );
  host.routes({ markup }, repositoryMarkupRoutes);
  host.routes(
    {
      ...common,
      repositories,
      repositoryAccess,
      pages: repositoryPages,
      markup,
      views: commitViews,
      cache,
      outlines: fileOutlines,
    },
    (services) =>
      reportCorruptObjects(
        allPages({
          ...services,
          actions,
          notices,
          lineActions: lines,
          media,
          sidebar,
          ssh,
          hasTokens,
          cache: services.cache.memory<unknown>('files.facts'),
        }),
        host.log,
      ),
  );
  host.contribute(
    profileIntroductions,
    { access: repositoryAccess, git: gitReader, markup, memberships, repositories, site },
    (services) => profileReadme({ ...services, media }),
  );
}

export function registerOutlines(host: PluginHost): void {
  host.service(
    fileOutlines,
    { cache },
    (services) => new FileOutlines({ cache: services.cache.memory('files.outlines'), log: host.log }),
  );
  host.onStart({ fileOutlines }, async (services) => () => services.fileOutlines.close());
}

export function registerArchives(host: PluginHost): void {
  const cleaning = host.settings('cron.archive_cleanup', archiveCleanupSettings);
  host.service(archiveService, { locks, storage, git: gitReader, database }, (services) => {
    const area = services.storage.area('repo-archive');
    const archiveIndex = new ArchiveIndex({
      area,
      database: services.database,
      log: host.log,
      maxBytes: cleaning.MAX_SIZE * 2 ** 20,
    });
    return new ArchiveService({ ...services, area, archiveIndex });
  });
  host.job(cleanArchives, {}, { archiveService }, async (_payload, services) => {
    if (cleaning.ENABLED) await services.archiveService.clean(cleaning.OLDER_THAN);
  });
  host.onStart({ archiveService }, async (services) => services.archiveService.keepUses(host.log));
  const times = {
    id: 'clean-archives',
    taskName: 'archive_cleanup',
    title: t.later('schedule.clean-archives'),
    schedule: '0 0 * * *',
  };
  scheduleTask(host, times, cleanArchives, {});
  host.on(
    repositoryDeleted,
    'after',
    'forget-archives',
    { archiveService },
    ({ repositoryId }, services) => services.archiveService.forget(repositoryId),
    { formerly: ['contents/forget-archives'] },
  );
}
