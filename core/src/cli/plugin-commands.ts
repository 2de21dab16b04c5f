import type { CommandDeclaration } from '../registry/index.js';
import { Command } from 'commander';

type Declared = CommandDeclaration['command'];
type Run = (
  declared: CommandDeclaration,
  args: Record<string, string | boolean | undefined>,
  positionals: readonly string[],
) => Promise<void>;

/** Puts the plugins' commands into the tree of words: `admin user create` hangs under `admin user`. */
export function addPluginCommands(program: Command, declared: Iterable<CommandDeclaration>, run: Run): void {
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
  describeGroups(program);
}

/** A group of commands is described by what it offers. */
function describeGroups(parent: Command): void {
  for (const group of parent.commands) {
    if (group.commands.length === 0) continue;
    if (!group.description()) group.description(group.commands.map((command) => command.name()).join(', '));
    describeGroups(group);
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
