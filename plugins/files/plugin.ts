import {
  backupSources,
  cache,
  database,
  defineJob,
  definePlugin,
  defineService,
  locks,
  site,
  storage,
} from '@mortise/plugin-sdk';
import { memberships, profileIntroductions } from '@mortise/accounts/api';
import { gitReader, gitWriter, refsUpdated } from '@mortise/git/api';
import { commitModels, commitVerification, commitViews, damageAware } from '@mortise/history/api';
import { fileRenderers, markup } from '@mortise/markup/api';
import {
  branchAccess,
  commitWriter,
  repositories,
  repositoryAccess,
  repositoryDeleted,
  repositoryPages,
  repositorySidebar,
  repositoryTabs,
  sshAddress,
} from '@mortise/repositories/api';
import { fileActions, fileChanges, fileNotices, mediaSources } from './api.js';
import { allPages } from './pages/all.js';
import { profileReadme } from './pages/profile.js';
import { allRoutes } from './routes/all.js';
import { repositoryMarkupRoutes } from './routes/markup.js';
import { ArchiveLedger } from './services/archive-ledger.js';
import { ArchiveService } from './services/archives.js';
import { ChangeService } from './services/changes.js';
import { ContentsReader } from './services/reading.js';
import { warmHome } from './services/warming.js';
import { t } from './texts/index.js';
import { archiveCleanupSettings, durationOf } from './settings.js';

// Services of this plugin alone; not part of the contract.
const archiveService = defineService<ArchiveService>('files.archives');
const contentsReader = defineService<ContentsReader>('files.contents');

const cleanArchives = defineJob<Record<string, never>>('files.cleanArchives');

export default definePlugin({
  name: 'files',
  version: '1.0.0',
  description: 'Files and folders over the API and in pages, archives, commits in the browser',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0', git: '^1.0.0', repositories: '^1.0.0', history: '^1.0.0', markup: '^2.0.0' },
  optional: { 'auth-token': '^1.0.0' },
  provides: [fileActions, fileNotices, fileChanges, mediaSources, archiveService, contentsReader, cleanArchives],

  register(host) {
    host.migrations(new URL('./migrations/', import.meta.url));
    const cleaning = host.settings('cron.archive_cleanup', archiveCleanupSettings);
    host.contribute(backupSources, { key: 'files', caches: { areas: ['repo-archive'], tables: ['file_archive'] } });
    const actions = host.point(fileActions);
    const notices = host.point(fileNotices);
    const media = host.point(mediaSources);
    const sidebar = host.point(repositorySidebar);
    const ssh = host.point(sshAddress);
    let hasTokens = false;
    host.whenPresent('auth-token', () => (hasTokens = true));

    host.service(archiveService, { locks, storage, git: gitReader, database }, (services) => {
      const area = services.storage.area('repo-archive');
      const ledger = new ArchiveLedger({
        area,
        database: services.database,
        log: host.log,
        maxBytes: cleaning.MAX_SIZE * 2 ** 20,
      });
      return new ArchiveService({ ...services, area, ledger });
    });
    host.service(
      contentsReader,
      { git: gitReader, repositories, cache },
      (services) =>
        new ContentsReader({
          ...services,
          answers: services.cache.memory<unknown>('files.answers', { maxSize: 16 << 20 }),
        }),
    );
    host.service(
      fileChanges,
      { git: gitReader, writer: gitWriter, commits: commitWriter },
      (services) => new ChangeService(services),
    );

    const common = { git: gitReader, site, verification: commitVerification } as const;
    host.routes(
      {
        ...common,
        commits: commitModels,
        contents: contentsReader,
        changes: fileChanges,
        archives: archiveService,
        branchAccess,
      },
      (services) => damageAware(allRoutes({ ...services, media }), host.log),
    );
    host.routes({ markup }, repositoryMarkupRoutes);
    host.routes(
      { ...common, repositories, repositoryAccess, pages: repositoryPages, markup, views: commitViews, cache },
      (services) =>
        damageAware(
          allPages({
            ...services,
            actions,
            notices,
            media,
            sidebar,
            ssh,
            hasTokens,
            facts: services.cache.memory<unknown>('files.facts', { maxSize: 8 << 20 }),
          }),
          host.log,
        ),
    );

    host.contribute(
      profileIntroductions,
      { access: repositoryAccess, git: gitReader, markup, memberships, repositories, site },
      (services) => profileReadme({ ...services, media }),
    );

    host.job(cleanArchives, {}, { archiveService }, async (_payload, services) => {
      if (cleaning.ENABLED) await services.archiveService.clean(durationOf(cleaning.OLDER_THAN));
    });
    host.onStart({ archiveService }, async (services) => services.archiveService.keepUses(host.log));
    host.schedule('clean-archives', '0 0 * * *', cleanArchives, {}, { taskName: 'archive_cleanup' });
    host.on(
      repositoryDeleted,
      'after',
      'forget-archives',
      { archiveService },
      ({ repositoryId }, services) => services.archiveService.forget(repositoryId),
      { formerly: ['contents/forget-archives'] },
    );
    // Whoever looks at a repository after a push finds the slow answers made.
    host.on(refsUpdated, 'after', 'warm-home', { git: gitReader, repositories }, async (change, services) => {
      if (change.kind === 'code') await warmHome(services, change);
    });

    host.contribute(fileRenderers, {
      key: 'jupyter',
      extensions: ['.ipynb'],
      module: new URL('./services/notebook.js', import.meta.url),
    });
    host.contribute(repositoryTabs, {
      key: 'code',
      label: t.later('code'),
      icon: 'code',
      href: '',
      order: 0,
      visible: ({ context }) => context.may('read', 'code'),
    });
    for (const name of ['code', 'finder']) host.island(name, new URL(`./pages/islands/${name}.js`, import.meta.url));
  },
});
