import { createMenu, definePlugin, fromPackage } from '@mortise/plugin-sdk';
import { lfsObjects } from '@mortise/lfs/api';
import { projects } from '@mortise/projects/api';
import { importPage, repositoryFeatures } from '@mortise/repositories/api';
import { dashboardSteps } from '@mortise/accounts/api';
import { migrationSources } from './api.js';
import { repositoryImporter } from './contract/importer.js';
import { dumpCommands } from './commands/dumps.js';
import { resumeImports, runImport } from './jobs/jobs.js';
import { progressChannel } from './services/notifier.js';
import { t } from './texts/index.js';
import {
  imports,
  progress,
  notifier,
  importRunner,
  service,
  repositoryDump,
  repositoryRestore,
  lfsSource,
  projectsTarget,
  openSettings,
  registerServices,
  registerRoutes,
} from './wiring.js';

/** Upper bound of attempts; each restart of the server uses one. */
const maxRuns = 1000;

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [
    migrationSources,
    repositoryImporter,
    imports,
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
    const opened = openSettings(host);
    const { settings, isDisabled } = opened;
    registerServices(host, opened);
    registerRoutes(host, opened);
    host.migrations(new URL('./migrations/', import.meta.url));
    host.contribute(repositoryFeatures, { key: 'migrations', disabled: isDisabled });
    host.whenPresent('lfs', () => host.contribute(lfsSource, { lfsObjects }, (services) => services.lfsObjects));
    host.whenPresent('projects', () => host.contribute(projectsTarget, { projects }, (services) => services.projects));
    dumpCommands(host, { dump: repositoryDump, restore: repositoryRestore }, settings.MAP_AUTHORS);
    host.job(
      runImport,
      { attempts: maxRuns, leaseMs: 10_000, concurrency: 4, perGroup: 1, timeoutMs: settings.MAX_HOURS * 3_600_000 },
      { importRunner },
      ({ repositoryId }, services, context) => services.importRunner.run(repositoryId, context),
    );
    host.job(resumeImports, {}, { service }, async (_payload, services) => {
      await services.service.resume();
      await services.service.forgetCredentials();
    });
    host.schedule('resume', '*/2 * * * *', resumeImports, {}, { title: t.later('schedule.resume') });
    host.channel({}, () => ({
      key: progressChannel,
      authorize: ({ kind }) => kind === 'user',
      message: (_actor, payload) => ({ eventType: progressChannel, eventData: payload }),
    }));
    host.island('migrations-progress', new URL('./pages/islands/progress.js', import.meta.url));
    host.contribute(importPage, { path: (repository) => `/${repository}/migration` });
    if (!isDisabled)
      host.contribute(dashboardSteps, { imports }, (services) => ({
        key: 'import',
        list: 'user' as const,
        order: 40,
        label: t.later('step.import'),
        path: '/repo/migrate',
        isDone: async ({ id }) => (await services.imports.ofUser(id, 1)).length > 0,
      }));
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
