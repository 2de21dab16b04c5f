import { join } from 'node:path';
import { hostname, userInfo } from 'node:os';
import { accounts, reservedNames, userDeleting } from '@mortise/accounts/api';
import { registrationTokens } from '@mortise/actions/api';
import { adminMenu, adminPage } from '@mortise/admin/api';
import { broker, database, definePlugin, defineService, locks, site } from '@mortise/plugin-sdk';
import { runnerCommands } from './commands/declare.js';
import { ownRunnerPages, ownRunnerPath } from './pages/own-runner.js';
import type { ChildOrder } from './services/child.js';
import { Keeper } from './services/keeper.js';
import { everybody, OwnRunner } from './services/own-runner.js';
import { Supervisor } from './services/supervisor.js';
import { runnerSettings } from './settings.js';
import { t } from './texts/index.js';

/** Not part of a contract. */
const ownRunner = defineService<OwnRunner>('actions-runner.ownRunner');

export default definePlugin({
  name: 'actions-runner',
  version: '1.0.0',
  description: 'A runner for the jobs of workflows, and a local check of workflow files',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0', actions: '^1.0.0' },
  optional: { admin: '^1.0.0' },
  provides: [ownRunner],

  register(host) {
    const settings = host.settings('actions.runner', runnerSettings);
    const isRoot = process.getuid?.() === 0;
    runnerCommands(host);
    // everybody, where the settings name whom the runner serves
    host.contribute(reservedNames, { names: ['all'] });
    host.migrations(new URL('./migrations/', import.meta.url));
    host.service(
      ownRunner,
      { database, broker, accounts },
      (services) => new OwnRunner({ ...services, log: host.log, settings, isRoot }),
    );
    host.on(userDeleting, 'within', 'serve-no-longer', { runner: ownRunner }, ({ userId }, services) =>
      services.runner.forget(userId),
    );
    host.whenPresent('admin', () => {
      const entry = { key: 'own-runner', label: t.later('runner.title'), icon: 'play', order: 46 } as const;
      host.contribute(adminMenu, { ...entry, href: ownRunnerPath });
      host.routes({ runner: ownRunner, site, frame: adminPage }, (services) =>
        ownRunnerPages({
          ...services,
          user: settings.USER || userInfo().username,
          isServers: settings.USER === '',
        }),
      );
    });

    host.onStart({ locks, registrationTokens, site, runner: ownRunner }, async (services) => {
      if (settings.ENABLED && settings.SERVES.length === 0)
        host.log.warn(
          'The runner is switched on and serves nobody: name whose jobs it may run in [actions.runner] SERVES',
        );
      if (settings.ENABLED && isRoot && settings.USER === '')
        host.log.warn(
          'The runner is not started: jobs must not run as root. Name another user in [actions.runner] USER',
        );
      const folder = settings.FOLDER || join(services.site.workDir, 'actions-runner');
      const orderFor = async (ownerId: number): Promise<ChildOrder> => {
        if (!(await services.runner.knows(ownerId))) throw new Error(`the owner with id ${ownerId} is gone`);
        return {
          address: (settings.ADDRESS || services.site.rootUrl).replace(/\/+$/, ''),
          token: await services.registrationTokens.current({ ownerId, repositoryId: 0 }),
          // beside them lie files of earlier versions, called by names
          file: join(folder, 'registrations', ownerId === everybody ? 'all.json' : `${ownerId}.json`),
          folder,
          name: settings.NAME || hostname(),
          labels: settings.LABELS,
          capacity: settings.CAPACITY,
          user: settings.USER,
          timeout: settings.TIMEOUT * 60_000,
          mostLogBytes: settings.MAX_LOG_SIZE * 1_048_576,
          containers: settings.CONTAINERS,
          volumes: settings.VOLUMES,
        };
      };
      const supervisor = (ownerId: number) => new Supervisor(() => orderFor(ownerId), host.log);
      const wanted = async () => (await services.runner.state()).serves;
      const keeper = new Keeper({ locks: services.locks, log: host.log, wanted, supervisor });
      const forget = services.runner.onChange(() => keeper.change());
      const kept = keeper.run();
      return async () => {
        forget();
        keeper.stop();
        await kept;
      };
    });
  },
});
