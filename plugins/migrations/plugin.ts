import {
  Encryption,
  broker,
  channels,
  createMenu,
  database,
  definePlugin,
  definePoint,
  defineService,
  jobs,
  outbound,
  site,
} from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { attachments } from '@mortise/attachments/api';
import { gitFolders, gitReader, gitRemotes, gitStore } from '@mortise/git/api';
import { issueImports } from '@mortise/issues/api';
import { lfsObjects, type LfsObjects } from '@mortise/lfs/api';
import { pullMirrors } from '@mortise/mirrors/api';
import { pullImports } from '@mortise/pulls/api';
import { projects, type Projects } from '@mortise/projects/api';
import { releaseImports } from '@mortise/releases/api';
import {
  importPage,
  repositories,
  repositoryDefaults,
  repositoryFeatures,
  repositoryCreator,
  repositoryPages,
} from '@mortise/repositories/api';
import { reviewImports } from '@mortise/reviews/api';
import { migrationSources, repositoryImporter } from './api.js';
import { dumpCommands } from './commands/dumps.js';
import { resumeImports, runImport } from './jobs/jobs.js';
import { migrationPages } from './pages/pages.js';
import { migrateRoutes } from './routes/migrate.js';
import { progressRoutes } from './routes/progress.js';
import { Importer } from './services/importer.js';
import { ImportStore } from './services/import-store.js';
import { ImportService } from './services/import-service.js';
import { ImportRunner } from './services/import-runner.js';
import { ImportNotifier, progressChannel } from './services/notifier.js';
import { ProgressStore } from './services/progress-store.js';
import { RepositoryDump } from './services/repository-dump.js';
import { RepositoryRestore } from './services/repository-restore.js';
import { importSettings, importSwitch } from './settings.js';
import { codebaseSource } from './sources/codebase.js';
import { codeCommitSource } from './sources/codecommit.js';
import { gitBucketSource } from './sources/gitbucket.js';
import { gitHubSource } from './sources/github.js';
import { gitLabSource } from './sources/gitlab.js';
import { giteaSource } from './sources/gitea.js';
import { gitSource } from './sources/git.js';
import { gogsSource } from './sources/gogs.js';
import { oneDevSource } from './sources/onedev.js';
import { t } from './texts/index.js';

/** Not part of the contract. */
const migrations = defineService<ImportStore>('migrations.migrations');
const progress = defineService<ProgressStore>('migrations.progress');
const notifier = defineService<ImportNotifier>('migrations.notifier');
const importRunner = defineService<ImportRunner>('migrations.migrator');
const service = defineService<ImportService>('migrations.service');
const repositoryDump = defineService<RepositoryDump>('migrations.repositoryDump');
const repositoryRestore = defineService<RepositoryRestore>('migrations.repositoryRestore');
const lfsSource = definePoint.one<LfsObjects>('migrations.lfsSource');
const projectsTarget = definePoint.one<Pick<Projects, 'import'>>('migrations.projectsTarget');

const builtInSources = [
  gitSource,
  giteaSource,
  gogsSource,
  gitHubSource,
  gitLabSource,
  gitBucketSource,
  oneDevSource,
  codebaseSource,
  codeCommitSource,
];

/** Upper bound of attempts; each restart of the server uses one. */
const maxRuns = 1000;

export default definePlugin({
  name: 'migrations',
  version: '1.0.0',
  description: 'Repositories from other services, with issues, pull requests and releases',
  sdk: '^1.0.0',
  requires: {
    accounts: '^1.0.0',
    attachments: '^1.0.0',
    git: '^1.0.0',
    issues: '^1.0.0',
    pulls: '^1.0.0',
    releases: '^1.0.0',
    repositories: '^1.0.0',
    reviews: '^1.0.0',
    wiki: '^1.0.0',
  },
  optional: { lfs: '^1.0.0', mirrors: '^1.0.0', projects: '^1.0.0' },
  provides: [
    migrationSources,
    repositoryImporter,
    migrations,
    progress,
    notifier,
    importRunner,
    service,
    repositoryDump,
    repositoryRestore,
    lfsSource,
    projectsTarget,
    runImport,
    resumeImports,
  ],

  register(host) {
    const settings = host.settings('migrations', importSettings);
    const { DISABLE_MIGRATIONS: isDisabled } = host.settings('repository', importSwitch);
    host.migrations(new URL('./migrations/', import.meta.url));
    host.contribute(repositoryFeatures, { key: 'migrations', disabled: isDisabled });
    const sources = host.point(migrationSources);
    const lfs = host.point(lfsSource);
    const lfsHere = () => lfs.list().find((one) => one.enabled);
    host.whenPresent('lfs', () => host.contribute(lfsSource, { lfsObjects }, (services) => services.lfsObjects));
    const boards = host.point(projectsTarget);
    host.whenPresent('projects', () => host.contribute(projectsTarget, { projects }, (services) => services.projects));
    for (const source of builtInSources) host.contribute(migrationSources, source);

    host.service(
      migrations,
      { database, site },
      (services) => new ImportStore(services.database, new Encryption(services.site.secret('migrations'))),
    );
    host.service(progress, { database }, (services) => new ProgressStore(services.database));
    host.service(notifier, { channels, broker }, (services) => new ImportNotifier(services.channels, services.broker));
    host.service(
      repositoryImporter,
      { database, accounts, attachments, gitReader, issueImports, pullImports, releaseImports, reviewImports },
      (services) => new Importer({ ...services, projects: () => boards.list()[0] }),
    );
    host.service(
      importRunner,
      {
        database,
        jobs,
        outbound,
        accounts,
        repositories,
        migrations,
        progress,
        notifier,
        remotes: gitRemotes,
        store: gitStore,
        making: repositoryCreator,
        importer: repositoryImporter,
      },
      (services) =>
        new ImportRunner({
          ...services,
          sources,
          settings,
          log: host.log,
          lfs: lfsHere,
        }),
    );
    host.service(
      repositoryDump,
      {
        accounts,
        repositories,
        attachments,
        gitReader,
        importRunner,
        folders: gitFolders,
        store: gitStore,
        remotes: gitRemotes,
      },
      (services) => new RepositoryDump({ ...services, sources, log: host.log, lfs: lfsHere }),
    );
    host.service(
      repositoryRestore,
      {
        accounts,
        attachments,
        repositories,
        gitReader,
        progress,
        making: repositoryCreator,
        defaults: repositoryDefaults,
        store: gitStore,
        folders: gitFolders,
        importer: repositoryImporter,
      },
      (services) => new RepositoryRestore({ ...services, lfs: lfsHere }),
    );
    dumpCommands(host, { dump: repositoryDump, restore: repositoryRestore }, settings.MAP_AUTHORS);
    host.service(
      service,
      {
        database,
        jobs,
        repositories,
        migrations,
        progress,
        notifier,
        remotes: gitRemotes,
        store: gitStore,
        defaults: repositoryDefaults,
        making: repositoryCreator,
      },
      (services) => new ImportService({ ...services, sources, settings }),
    );

    host.job(
      runImport,
      { attempts: maxRuns, leaseMs: 10_000, concurrency: 2, perGroup: 1, timeoutMs: settings.MAX_HOURS * 3_600_000 },
      { importRunner },
      ({ repositoryId }, services, context) => services.importRunner.run(repositoryId, context),
    );
    host.job(resumeImports, {}, { service }, async (_payload, services) => {
      await services.service.resume();
      await services.service.forgetCredentials();
    });
    host.schedule('resume', '*/2 * * * *', resumeImports, {});
    host.channel({}, () => ({
      key: progressChannel,
      authorize: ({ kind }) => kind === 'user',
      message: (_actor, payload) => ({ eventType: progressChannel, eventData: payload }),
    }));

    const routeServices = { accounts, repositories, service, importRunner, making: repositoryCreator };
    let hasMirrors = false;
    host.whenPresent('mirrors', () => {
      hasMirrors = true;
      host.routes({ ...routeServices, mirrors: pullMirrors }, (services) =>
        migrateRoutes({ ...services, settings, isDisabled }),
      );
    });
    if (!hasMirrors)
      host.routes(routeServices, (services) =>
        migrateRoutes({ ...services, settings, isDisabled, mirrors: undefined }),
      );
    host.routes(
      {
        accounts,
        repositories,
        migrations,
        service,
        importRunner,
        site,
        making: repositoryCreator,
        defaults: repositoryDefaults,
        pages: repositoryPages,
      },
      (services) => migrationPages({ ...services, sources, settings, isDisabled }),
    );
    host.routes({ migrations, service }, progressRoutes);
    host.island('migrations-progress', new URL('./pages/islands/progress.js', import.meta.url));
    host.contribute(importPage, { path: (repository) => `/${repository}/migration` });
    if (!isDisabled)
      host.contribute(createMenu, {
        key: 'migration',
        label: t.later('new.title'),
        href: '/repo/migrate',
        icon: 'repo-clone',
        order: 12,
        visible: ({ kind }) => kind === 'user',
      });
  },
});
