import type { HostOptions } from '../index.js';
import { Command } from 'commander';
import { addPluginCommands } from './plugin-commands.js';
import { kernelVersion } from '../kernel-version.js';
import { kernelCommands } from './kernel-commands.js';
import { standardInput } from './standard-input.js';

interface GlobalOptions {
  workPath?: string;
  config?: string;
}

/** Commands that write into the workspace. */
const workspaceCommands = new Set(['settings', 'plugins', 'dev']);

/** Entry of the command line. */
export async function main(args: readonly string[]): Promise<void> {
  const program = new Command('mortise')
    .description('A site made of plugins: serve it, look after it, add to it')
    .version(kernelVersion(), '--version', 'print the version and end')
    .option('--work-path <folder>', 'folder of all state (default: MORTISE_WORK_DIR, else ./data)')
    .option('--config <file>', 'settings file (default: config/app.ini in the work folder)')
    .enablePositionalOptions()
    .showHelpAfterError('(see --help)');
  const hostOptions = (): HostOptions => {
    const { workPath, config } = program.opts<GlobalOptions>();
    return { workDir: workPath, config };
  };
  kernelCommands(program, hostOptions);

  // What a command makes in the work folder is not for other users of the machine; sources are.
  if (!workspaceCommands.has(commandName(args) ?? '')) process.umask(0o077);
  try {
    if (args[0] !== '--version' && !isKernelCommand(program, args))
      await loadPluginCommands(program, args, hostOptions);
    await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    const { explain } = await import('./explain.js');
    console.error(explain(error));
    process.exitCode = 1;
  }
}

/** First word that is no option of the program itself. */
function commandName(args: readonly string[]): string | undefined {
  for (let index = 0; index < args.length; index++) {
    const word = args[index]!;
    if (!word.startsWith('-')) return word;
    if (word === '--work-path' || word === '--config') index++;
  }
  return undefined;
}

const isKernelCommand = (program: Command, args: readonly string[]) =>
  program.commands.some((one) => one.name() === commandName(args));

/** Commands of plugins are known only once the plugins are; `mortise web` need not wait for that. */
async function loadPluginCommands(
  program: Command,
  args: readonly string[],
  hostOptions: () => HostOptions,
): Promise<void> {
  program.parseOptions([...args]);
  const options: HostOptions = { ...hostOptions(), logStream: 'stderr', logLevel: 'warn' };
  const helpOnly = commandName(args) === undefined || commandName(args) === 'help';
  // Loaded here: the process that only minds workers never needs them.
  const { compose, openHost } = await import('../index.js');
  const { declarations, log } = await compose({ ...options, logLevel: 'none', tolerant: helpOnly });
  const print = (line: string) => console.log(line);
  const { commands, commandGroups } = declarations;
  addPluginCommands(program, commands.values(), commandGroups, async ({ command, owner, run }, args, rest) => {
    const request = () => Promise.reject(new Error(`${command.name} runs without an installation`));
    if (command.isStandalone)
      return run({ args, positionals: rest, print, input: standardInput, request, log: log.of(owner) }, {});
    const host = await openHost(options, (made) => made.migrate());
    try {
      await host.runCommand(command.name, args, print, standardInput, rest);
    } finally {
      await host.stop();
    }
  });
}
