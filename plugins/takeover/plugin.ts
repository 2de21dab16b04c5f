import { database, definePlugin, defineService, takeoverMappings } from '@mortise/plugin-sdk';
import { settingsCommand } from './commands/settings.js';
import { takeoverCommands } from './commands/takeover.js';
import { TakeoverRunner } from './services/takeover-runner.js';

/** Not part of a contract. */
const runner = defineService<TakeoverRunner>('takeover.runner');

export default definePlugin({
  name: 'takeover',
  version: '1.0.0',
  description: 'Takes over a whole server of the compatible kind',
  sdk: '^1.0.0',
  provides: [runner],

  register(host) {
    const mappings = host.point(takeoverMappings);
    host.migrations(new URL('./migrations/', import.meta.url));
    host.service(runner, { database }, (services) => new TakeoverRunner(services.database, mappings));
    takeoverCommands(host, runner);
    settingsCommand(host);
  },
});
