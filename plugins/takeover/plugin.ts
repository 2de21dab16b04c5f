import {
  database,
  definePlugin,
  fromPackage,
  defineService,
  outbound,
  scheduledTasks,
  takeoverMappings,
} from '@mortise/plugin-sdk';
import { siteNotices } from '@mortise/admin/api';
import { settingsCommand } from './commands/settings.js';
import { takeoverCommands } from './commands/takeover.js';
import { ApiComparison } from './services/api-comparison.js';
import { TakeoverRunner } from './services/takeover-runner.js';
import { TakeoverVerifier } from './services/takeover-verifier.js';

/** Not part of a contract. */
const runner = defineService<TakeoverRunner>('takeover.runner');
const verifier = defineService<TakeoverVerifier>('takeover.verifier');

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [runner, verifier],

  register(host) {
    const mappings = host.point(takeoverMappings);
    host.migrations(new URL('./migrations/', import.meta.url));
    let hasNotices = false;
    host.whenPresent('admin', () => (hasNotices = true));
    const needed = { database, scheduledTasks };
    if (hasNotices)
      host.service(runner, { ...needed, siteNotices }, (services) => new TakeoverRunner(services, mappings));
    else host.service(runner, needed, (services) => new TakeoverRunner(services, mappings));
    host.service(
      verifier,
      { database, runner, outbound },
      (services) => new TakeoverVerifier({ ...services, api: new ApiComparison(services.outbound) }),
    );
    takeoverCommands(host, { runner, verifier });
    settingsCommand(host);
  },
});
