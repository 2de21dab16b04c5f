import { resolve } from 'node:path';
import type { Command } from 'commander';
import { BadRequest } from '@mortise/plugin-sdk';
import type { HostOptions } from '../host.js';
import { pluginSettings } from '../settings/kernel.js';
import { names } from '../settings/names.js';
import { openSettings } from '../settings/open.js';

/** `mortise dev FOLDER`: the settings are those of the work folder, with this plugin's folder beside its others. */
export function devCommand(program: Command, options: () => HostOptions): void {
  program
    .command('dev <folder>')
    .description('Compile a plugin and serve with it, again whenever one of its files is saved')
    .option('--port <number>', 'port to listen on, over [server] HTTP_PORT')
    .action(async (folder: string, { port }: { port?: string }) => {
      const { workDir, config } = options();
      if (config) throw BadRequest('mortise dev takes its settings from the work folder and the environment');
      const { settingsRegistry, workDir: place } = openSettings(options());
      const { PATHS } = settingsRegistry.declare('core', 'plugins', pluginSettings);
      const paths = new Set([...names(PATHS).map((one) => resolve(place, one)), resolve(folder)]);
      const environment = {
        ...process.env,
        ...(workDir && { MORTISE_WORK_DIR: resolve(workDir) }),
        MORTISE__plugins__PATHS: [...paths].join(','),
        MORTISE__server__WORKERS: '1',
        MORTISE__server__GRACEFUL_HAMMER_TIME: '200ms',
        MORTISE__DEFAULT__RUN_MODE: 'dev',
      };
      const { Dev } = await import('./dev.js');
      await new Dev({ folder, environment, port, say: (line) => console.error(line) }).run();
      process.exit(0);
    });
}
