import type { CommandDeclaration } from '../registry/index.js';
import type { CommandGroup } from '@mortise/plugin-sdk';
import { Command } from 'commander';

type Declared = CommandDeclaration['command'];
type Run = (
  declared: CommandDeclaration,
  args: Record<string, string | boolean | undefined>,
  positionals: readonly string[],
) => Promise<void>;

/** Puts the plugins' commands into the tree of words: `admin user create` hangs under `admin user`. */
export function addPluginCommands(
  program: Command,
  declared: Iterable<CommandDeclaration>,
  groups: ReadonlyMap<string, CommandGroup>,
  run: Run,
): void {
  for (const one of declared) {
    const { command } = one;
    const names = command.name.split(/\s+/);
    let parent = program;
    for (const word of names.slice(0, -1)) {
      parent = parent.commands.find((known) => known.name() === word) ?? parent.command(word);
    }
    const leaf = parent.command(names.at(-1)!).description(command.summary);
    for (const { flags, description } of command.options ?? []) leaf.option(flags, description);
    if (command.positionals) leaf.argument(command.positionals);
    leaf.action(async () => {
      const args = byFlagName(leaf);
      checkRequired(leaf, command.options ?? [], args);
      await run(one, args, command.positionals ? leaf.args : []);
    });
  }
  describeGroups(program, groups);
}

/** A line to try below the help of a command. */
export const withExample = (command: Command, line: string): Command =>
  command.addHelpText('after', `\nExample:\n  mortise ${line}`);

/** What plugins say of a group of commands; where none says it, what it offers. */
function describeGroups(parent: Command, groups: ReadonlyMap<string, CommandGroup>, prefix = ''): void {
  for (const command of parent.commands) {
    if (command.commands.length === 0) continue;
    const name = prefix + command.name();
    const group = groups.get(name);
    if (group) withExample(command, group.example);
    if (!command.description())
      command.description(group?.summary ?? command.commands.map((one) => one.name()).join(', '));
    describeGroups(command, groups, `${name} `);
  }
}

type Values = Record<string, string | boolean | undefined>;

/**
 * Values under the names of the flags: `--must-change-password` is both `must-change-password` and `mustChangePassword`. What
 * a command above has too, the library gives to that one.
 */
function byFlagName(command: Command): Values {
  const given = command.optsWithGlobals<Values>();
  const args: Values = {};
  for (const option of command.options) {
    const name = option.attributeName();
    const value = given[name];
    if (value === undefined) continue;
    args[name] = value;
    if (option.long) args[option.long.slice(2)] = value;
  }
  return args;
}

/** Checked here: the library would ask a command below another also for what that one requires. */
function checkRequired(leaf: Command, options: NonNullable<Declared['options']>, args: Values): void {
  for (const { flags, required } of options) {
    const option = leaf.options.find((known) => known.flags === flags);
    if (required && option && args[option.attributeName()] === undefined)
      leaf.error(`error: required option '${flags}' not specified`, { code: 'commander.missingMandatoryOptionValue' });
  }
}
