import { database, definePlugin, defineService, takeoverParts } from '@mortise/plugin-sdk';
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
    const parts = host.point(takeoverParts);
    host.migrations(new URL('./migrations/', import.meta.url));
    host.service(runner, { database }, (services) => new TakeoverRunner(services.database, parts));
    takeoverCommands(host, runner);
  },
});
