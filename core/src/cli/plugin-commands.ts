import type { CommandDeclaration } from '../registry/index.js';
import { Command } from 'commander';

type Run = (
  declared: CommandDeclaration,
  args: Record<string, string | boolean | undefined>,
  words: readonly string[],
) => Promise<void>;

/** Puts the plugins' commands into the tree of words: `admin user create` hangs under `admin user`. */
export function addPluginCommands(program: Command, declared: Iterable<CommandDeclaration>, run: Run): void {
  for (const one of declared) {
    const { command } = one;
    const words = command.name.split(/\s+/);
    let parent = program;
    for (const word of words.slice(0, -1)) {
      parent = parent.commands.find((known) => known.name() === word) ?? parent.command(word);
    }
    const leaf = parent.command(words.at(-1)!).description(command.summary);
    for (const { flags, description, required } of command.options ?? []) {
      if (required) leaf.requiredOption(flags, description);
      else leaf.option(flags, description);
    }
    if (command.words) leaf.argument(command.words);
    leaf.action(async () => run(one, byFlagName(leaf), command.words ? leaf.args : []));
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

/** Values under the names of the flags: `--must-change-password` is both `must-change-password` and `mustChangePassword`. */
function byFlagName(command: Command): Record<string, string | boolean | undefined> {
  const args: Record<string, string | boolean | undefined> = { ...command.opts<Record<string, string | boolean>>() };
  for (const option of command.options) {
    const value = args[option.attributeName()];
    if (option.long && value !== undefined) args[option.long.slice(2)] = value;
  }
  return args;
}
