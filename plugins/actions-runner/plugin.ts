import { join } from 'node:path';
import { hostname, userInfo } from 'node:os';
import { accounts, reservedNames, userDeleting } from '@mortise/accounts/api';
import { registrationTokens } from '@mortise/actions/api';
import { adminMenu, adminPage } from '@mortise/admin/api';
import { broker, database, definePlugin, fromPackage, defineService, locks, site } from '@mortise/plugin-sdk';
import { runnerCommands } from './commands/runner-commands.js';
import { embeddedRunnerPages, embeddedRunnerPath } from './pages/embedded-runner.js';
import type { ChildOptions } from './services/child-process.js';
import { SupervisorPool } from './services/supervisor-pool.js';
import { allOwners, EmbeddedRunner } from './services/embedded-runner.js';
import { Supervisor } from './services/supervisor.js';
import { runnerSettings } from './settings.js';
import { t } from './texts/index.js';

/** Not part of a contract. */
const embeddedRunner = defineService<EmbeddedRunner>('actions-runner.embeddedRunner');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [embeddedRunner],

  register(host) {
    const settings = host.settings('actions.runner', runnerSettings);
    const isRoot = process.getuid?.() === 0;
    runnerCommands(host);
    // allOwners, where the settings name the owners
    host.contribute(reservedNames, { names: ['all'] });
    host.migrations(new URL('./migrations/', import.meta.url));
    host.service(
      embeddedRunner,
      { database, broker, accounts },
      (services) => new EmbeddedRunner({ ...services, log: host.log, settings, isRoot }),
    );
    host.on(userDeleting, 'within', 'serve-no-longer', { runner: embeddedRunner }, ({ userId }, services) =>
      services.runner.forget(userId),
    );
    host.whenPresent('admin', () => {
      const entry = { key: 'own-runner', label: t.later('runner.title'), icon: 'play', order: 46 } as const;
      host.contribute(adminMenu, { ...entry, href: embeddedRunnerPath });
      host.routes({ runner: embeddedRunner, site, frame: adminPage }, (services) =>
        embeddedRunnerPages({
          ...services,
          user: settings.USER || userInfo().username,
          isServers: settings.USER === '',
        }),
      );
    });

    host.onStart({ locks, registrationTokens, site, runner: embeddedRunner }, async (services) => {
      if (settings.ENABLED && settings.SERVES.length === 0)
        host.log.warn('embedded runner is enabled but serves no owner: name owners in [actions.runner] SERVES', {
          event: 'actions.runner.noOwners',
        });
      if (settings.ENABLED && isRoot && settings.USER === '')
        host.log.warn(
          'embedded runner not started, since jobs must not run as root: name a user in [actions.runner] USER',
          { event: 'actions.runner.root' },
        );
      const folder = settings.FOLDER || join(services.site.workDir, 'actions-runner');
      const orderFor = async (ownerId: number): Promise<ChildOptions> => {
        if (!(await services.runner.knows(ownerId))) throw new Error(`the owner with id ${ownerId} is gone`);
        return {
          address: (settings.ADDRESS || services.site.rootUrl).replace(/\/+$/, ''),
          token: await services.registrationTokens.current({ ownerId, repositoryId: 0 }),
          // beside them lie files of earlier versions, called by names
          file: join(folder, 'registrations', ownerId === allOwners ? 'all.json' : `${ownerId}.json`),
          folder,
          name: settings.NAME || hostname(),
          labels: settings.LABELS,
          capacity: settings.CAPACITY,
          user: settings.USER,
          timeout: settings.TIMEOUT * 60_000,
          maxLogBytes: settings.MAX_LOG_SIZE * 1_048_576,
          containers: settings.CONTAINERS,
          volumes: settings.VOLUMES,
        };
      };
      const supervisor = (ownerId: number) => new Supervisor(() => orderFor(ownerId), host.log);
      const wanted = async () => (await services.runner.state()).serves;
      const keeper = new SupervisorPool({ locks: services.locks, log: host.log, servedOwners: wanted, supervisor });
      const forget = services.runner.onChange(() => keeper.refresh());
      const kept = keeper.run();
      return async () => {
        forget();
        keeper.stop();
        await kept;
      };
    });
  },
});
