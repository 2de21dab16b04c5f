import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import type { HostOptions } from '../host.js';
import { checkSettings, type CheckedSetting } from '../settings/index.js';
import { withExample } from './plugin-commands.js';

/** One fault of a plugin brings others with it. */
const maxProblems = 20;
const quiet = { logStream: 'stderr', logLevel: 'none' } as const;

/** `mortise config check`. */
export function configCommand(program: Command, options: () => HostOptions): void {
  const config = program.command('config').description('Look at settings files');
  withExample(config, 'config check /etc/gitea/app.ini');
  config
    .command('check [file]')
    .description('Say what each line of a settings file means here; without a file: the settings of this site')
    .option('--differing', 'only lines that do not hold as they are')
    .action(async (file: string | undefined, { differing = false }: { differing?: boolean }) => {
      if (file !== undefined && !existsSync(file)) throw new Error(`There is no ${resolve(file)}.`);
      const { compose } = await import('../compose.js');
      const { settingsRegistry, metrics, problems } = await compose({
        ...options(),
        ...quiet,
        ...(file !== undefined && { config: file, environment: pluginEnvironment() }),
        tolerant: true,
      });
      metrics.close();
      const checked = checkSettings(settingsRegistry).filter((one) => file === undefined || !isVariable(one.from));
      for (const one of checked) if (!differing || one.state !== 'same') console.log(line(one));
      for (const problem of problems.slice(0, maxProblems)) console.log(`refuses the start: ${problem}`);
      console.log(summary(checked));
      if (problems.length) process.exitCode = 1;
    });
}

const isVariable = (from: string): boolean => from.startsWith('MORTISE__');

/** A file of another server does not say which plugins this site has; its environment may. */
const pluginEnvironment = (): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !isVariable(name) || /^MORTISE__plugins__/i.test(name)),
  );

const line = ({ from, name, state, text }: CheckedSetting): string =>
  `${basename(from)}\t${name}\t${state}${text ? `: ${text}` : ''}`;

function summary(checked: readonly CheckedSetting[]): string {
  const counts = new Map<string, number>();
  for (const { state } of checked) counts.set(state, (counts.get(state) ?? 0) + 1);
  return `${checked.length} settings: ${[...counts].map(([state, count]) => `${count} ${state}`).join(', ') || 'none'}`;
}
