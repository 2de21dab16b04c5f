import { join } from 'node:path';
import { hostname } from 'node:os';
import { accounts } from '@mortise/accounts/api';
import { registrationTokens, type ActionScope } from '@mortise/actions/api';
import { definePlugin, locks, site } from '@mortise/plugin-sdk';
import { runnerCommands } from './commands/declare.js';
import { Supervisor } from './services/supervisor.js';
import { runnerSettings } from './settings.js';

export default definePlugin({
  name: 'actions-runner',
  version: '1.0.0',
  description: 'A runner for the jobs of workflows, and a local check of workflow files',
  sdk: '^1.0.0',
  requires: { accounts: '^1.0.0', actions: '^1.0.0' },

  register(host) {
    const settings = host.settings('actions.runner', runnerSettings);
    runnerCommands(host);

    host.onStart({ accounts, locks, registrationTokens, site }, async (services) => {
      if (!settings.ENABLED) return undefined;
      if (settings.SERVES.length === 0) {
        host.log.warn(
          'The runner is switched on and serves nobody: name whose jobs it may run in [actions.runner] SERVES',
        );
        return undefined;
      }
      if (process.getuid?.() === 0 && settings.USER === '') {
        host.log.warn(
          'The runner is not started: jobs must not run as root. Name another user in [actions.runner] USER',
        );
        return undefined;
      }
      const folder = settings.FOLDER || join(services.site.workDir, 'actions-runner');
      const scopeOf = async (name: string): Promise<ActionScope> => {
        if (name === 'all') return { ownerId: 0, repositoryId: 0 };
        const owner = await services.accounts.byName(name);
        if (!owner) throw new Error(`there is no owner "${name}" ([actions.runner] SERVES)`);
        return { ownerId: owner.id, repositoryId: 0 };
      };
      const supervisors = settings.SERVES.map(
        (name) =>
          new Supervisor(
            async () => ({
              address: (settings.ADDRESS || services.site.rootUrl).replace(/\/+$/, ''),
              token: await services.registrationTokens.current(await scopeOf(name)),
              file: join(folder, `${encodeURIComponent(name.toLowerCase())}.json`),
              folder,
              name: settings.NAME || hostname(),
              labels: settings.LABELS,
              capacity: settings.CAPACITY,
              user: settings.USER,
              timeout: settings.TIMEOUT * 60_000,
              mostLogBytes: settings.MAX_LOG_SIZE * 1_048_576,
              containers: settings.CONTAINERS,
              volumes: settings.VOLUMES,
            }),
            host.log,
          ),
      );
      let isStopping = false;
      // One process of the server has the runner; another takes over when that one is gone.
      const keep = async (): Promise<void> => {
        while (!isStopping)
          await services.locks
            .hold('actions-runner', async () => Promise.all(supervisors.map(async (one) => one.run())), {
              waitMs: 5000,
            })
            .catch(() => undefined);
      };
      const kept = keep();
      return async () => {
        isStopping = true;
        for (const one of supervisors) one.stop();
        await kept;
      };
    });
  },
});
