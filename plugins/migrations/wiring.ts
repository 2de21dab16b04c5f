import {
  type PluginHost,
  Encryption,
  broker,
  channels,
  database,
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
import { type LfsObjects } from '@mortise/lfs/api';
import { pullMirrors } from '@mortise/mirrors/api';
import { pullImports } from '@mortise/pulls/api';
import { type Projects } from '@mortise/projects/api';
import { releaseImports } from '@mortise/releases/api';
import {
  repositories,
  repositoryCreator,
  repositoryDefaults,
  repositoryPages,
  repositoryQuota,
} from '@mortise/repositories/api';
import { reviewImports } from '@mortise/reviews/api';
import { migrationSources } from './api.js';
import { repositoryImporter } from './contract/importer.js';
import { migrationPages } from './pages/pages.js';
import { migrateRoutes } from './routes/migrate.js';
import { progressRoutes } from './routes/progress.js';
import { Importer } from './services/importer.js';
import { ImportStore } from './services/import-store.js';
import { ImportService } from './services/import-service.js';
import { ImportRunner } from './services/import-runner.js';
import { ImportNotifier } from './services/notifier.js';
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

/** Not part of the contract. */
export const imports = defineService<ImportStore>('migrations.imports');
export const progress = defineService<ProgressStore>('migrations.progress');
export const notifier = defineService<ImportNotifier>('migrations.notifier');
export const importRunner = defineService<ImportRunner>('migrations.importRunner');
export const service = defineService<ImportService>('migrations.service');
export const repositoryDump = defineService<RepositoryDump>('migrations.repositoryDump');
export const repositoryRestore = defineService<RepositoryRestore>('migrations.repositoryRestore');
export const lfsSource = definePoint.one<LfsObjects>('migrations.lfsSource');
export const projectsTarget = definePoint.one<Pick<Projects, 'import'>>('migrations.projectsTarget');
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

/** Settings and extension points that several of the registrations below need. */
export function openSettings(host: PluginHost) {
  const settings = host.settings('migrations', importSettings);
  const { DISABLE_MIGRATIONS: isDisabled } = host.settings('repository', importSwitch);
  const sources = host.point(migrationSources);
  return { settings, isDisabled, sources };
}

type Opened = ReturnType<typeof openSettings>;

export function registerServices(host: PluginHost, { settings, sources }: Opened): void {
  const lfs = host.point(lfsSource);
  const lfsHere = () => lfs.list().find((one) => one.enabled);
  const boards = host.point(projectsTarget);
  for (const source of builtInSources) host.contribute(migrationSources, source);
  host.service(
    imports,
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
      repositoryQuota,
      imports,
      progress,
      notifier,
      remotes: gitRemotes,
      store: gitStore,
      creator: repositoryCreator,
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
      creator: repositoryCreator,
      defaults: repositoryDefaults,
      store: gitStore,
      folders: gitFolders,
      importer: repositoryImporter,
    },
    (services) => new RepositoryRestore({ ...services, lfs: lfsHere }),
  );
  host.service(
    service,
    {
      database,
      jobs,
      repositories,
      imports,
      progress,
      notifier,
      remotes: gitRemotes,
      store: gitStore,
      defaults: repositoryDefaults,
      creator: repositoryCreator,
    },
    (services) => new ImportService({ ...services, sources, settings }),
  );
}

export function registerRoutes(host: PluginHost, { settings, isDisabled, sources }: Opened): void {
  const routeServices = { accounts, repositories, service, importRunner, creator: repositoryCreator };
  let hasMirrors = false;
  host.whenPresent('mirrors', () => {
    hasMirrors = true;
    host.routes({ ...routeServices, mirrors: pullMirrors }, (services) =>
      migrateRoutes({ ...services, settings, isDisabled }),
    );
  });
  if (!hasMirrors)
    host.routes(routeServices, (services) => migrateRoutes({ ...services, settings, isDisabled, mirrors: undefined }));
  host.routes(
    {
      accounts,
      repositories,
      imports,
      service,
      importRunner,
      site,
      creator: repositoryCreator,
      defaults: repositoryDefaults,
      pages: repositoryPages,
    },
    (services) => migrationPages({ ...services, sources, settings, isDisabled }),
  );
  host.routes({ imports, service }, progressRoutes);
}
