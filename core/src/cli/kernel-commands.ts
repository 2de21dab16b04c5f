import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { HostOptions } from '../host.js';
import { backupCommand } from './backup-command.js';
import { configCommand } from './config-command.js';
import { devCommand } from './dev-command.js';
import { withExample } from './plugin-commands.js';
import { pluginsCommand } from './plugins-command.js';
import { restartCommand } from './restart-command.js';
import { compatiblePage, exampleIni, settingsPage } from '../settings/index.js';

type Options = () => HostOptions;

const quiet = { logStream: 'stderr', logLevel: 'warn' } as const;

/** The commands that are there without any plugin, in the order of the help. */
export function kernelCommands(program: Command, options: Options): void {
  for (const add of [
    webCommand,
    restartCommand,
    devCommand,
    migrateCommand,
    doctorCommand,
    healthCommand,
    dumpCommand,
    backupCommand,
    restoreCommand,
    pluginsCommand,
    configCommand,
    settingsCommand,
  ])
    add(program, options);
}

const collect = (name: string, before: readonly string[]): string[] => [...before, name];

function webCommand(program: Command, options: Options): void {
  program
    .command('web')
    .description('Serve, until SIGTERM or SIGINT')
    .option('--port <number>', 'port to listen on, over [server] HTTP_PORT')
    .option('--without <name>', 'start without a plugin, and those that cannot do without it; repeatable', collect, [])
    .option('--safe', 'start without the plugins that did not come with Mortise')
    .action(async ({ port, without, safe }: { port?: string; without: string[]; safe?: boolean }) => {
      const { web } = await import('./web.js');
      await web({
        ...options(),
        without,
        isSafe: safe,
        ...(port && { settings: { server: { HTTP_PORT: port } } }),
        liveReload: process.env.MORTISE_LIVE_RELOAD === '1',
      });
    });
}

function migrateCommand(program: Command, options: Options): void {
  program
    .command('migrate')
    .description('Bring the tables of the database up to date')
    .action(async () => {
      const { openHost } = await import('../open-host.js');
      let done: string[] = [];
      const host = await openHost(
        { ...options(), ...quiet },
        async (made) => (done = [...done, ...(await made.migrate())]),
      );
      try {
        for (const name of done) console.log(`applied ${name}`);
        console.log(done.length ? `${done.length} migrations applied` : 'the tables are up to date');
      } finally {
        await host.stop();
      }
    });
}

function doctorCommand(program: Command, options: Options): void {
  program
    .command('doctor')
    .description('Look for faults in the installation')
    .option('--fix', 'repair what can be repaired')
    .option('--deep', 'also read everything that is stored and compare it with its hashes (slow)')
    .action(async ({ fix = false, deep = false }: { fix?: boolean; deep?: boolean }) => {
      const { createHost } = await import('../host.js');
      const host = await createHost({ ...options(), ...quiet });
      let errors = 0;
      let warnings = 0;
      try {
        for await (const { level, check, text, fixed } of host.doctor({ fix, deep })) {
          if (level === 'error' && !fixed) errors++;
          if (level === 'warning' && !fixed) warnings++;
          console.log(`${{ ok: '✔', warning: '!', error: '✖' }[level]} ${check}: ${text}${fixed ? ' (repaired)' : ''}`);
        }
      } finally {
        await host.stop();
      }
      const counts = [...(errors ? [`${errors} faults`] : []), ...(warnings ? [`${warnings} warnings`] : [])].join(
        ', ',
      );
      console.log(counts ? `${counts}${fix ? '' : '; mortise doctor --fix repairs what it can'}` : 'all is well');
      if (errors) process.exitCode = 1;
    });
}

function healthCommand(program: Command, options: Options): void {
  program
    .command('health')
    .description('Ask the server of this machine whether it answers; ends with 0 or 1')
    .action(async () => {
      const { askHealth, localServer } = await import('./health.js');
      const server = localServer(options());
      const status = await askHealth(server).catch((error: Error) => error.message);
      console.log(`${server.address.href}: ${status}`);
      if (status !== 200) process.exitCode = 1;
    });
}

function dumpCommand(program: Command, options: Options): void {
  program
    .command('dump <file>')
    .description('Write everything into one tar file (.tar or .tar.gz); the server may go on')
    .option('--without-areas <names>', 'storage areas that are left out, separated by commas; * for all')
    .action(async (file: string, { withoutAreas }: { withoutAreas?: string }) => {
      const { dump } = await import('./dump.js');
      const { noteBackup } = await import('../backup/last-backup.js');
      const { createHost } = await import('../host.js');
      const host = await createHost({ ...options(), ...quiet });
      try {
        const without = withoutAreas?.split(/[\s,]+/).filter(Boolean);
        for (const line of await dump(host, file, { withoutAreas: without })) console.log(line);
        await noteBackup(host.composition.workDir);
      } finally {
        await host.stop();
      }
    });
}

function restoreCommand(program: Command, options: Options): void {
  program
    .command('restore <source>')
    .description('Bring a dump or a back-up back, into an empty work folder and an empty database')
    .option('--point <id>', 'which back-up of the folder; default: the newest')
    .action(async (source: string, given: { point?: string }) => {
      const { restore } = await import('./restore.js');
      const { compose } = await import('../compose.js');
      const { workDir } = await compose({ ...options(), plugins: [], tolerant: true, logLevel: 'none' });
      for (const line of await restore({ ...options(), ...quiet }, workDir, source, given)) console.log(line);
    });
}

function settingsCommand(program: Command, options: Options): void {
  const settings = program.command('settings').description('Describe the settings of the plugins that are found');
  withExample(settings, 'settings reference --dir .');
  settings
    .command('reference')
    .description('Write app.example.ini, settings.md and compatible-settings.md for the plugins that are found')
    .option('--dir <folder>', 'folder to write into (default: config of the workspace)')
    .action(async ({ dir }: { dir?: string }) => {
      const { compose } = await import('../compose.js');
      const composition = await compose({ ...options(), ...quiet, environment: {}, config: undefined });
      const folder = resolve(dir ?? join(composition.root, 'config'));
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'app.example.ini'), exampleIni(composition.settingsRegistry));
      writeFileSync(join(folder, 'settings.md'), settingsPage(composition.settingsRegistry));
      writeFileSync(join(folder, 'compatible-settings.md'), compatiblePage());
      console.log(
        `written: ${join(folder, 'app.example.ini')}, settings.md and compatible-settings.md (${composition.settingsRegistry.declared.length} settings)`,
      );
    });
}
