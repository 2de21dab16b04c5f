import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import { Command } from 'commander';
import { addPluginCommands } from '../cli/plugin-commands.js';
import type { CommandDeclaration } from '../registry/index.js';

export const lab = Lab.script();
const { describe, it } = lab;
const { expect } = Code;

const from = { flags: '--from <path>', description: 'Where from', required: true };
const declared = (name: string, more: object = {}): CommandDeclaration => ({
  owner: 'tests',
  command: { name, summary: name, ...more },
  dependencies: {},
  run: () => Promise.resolve(),
});

describe('Commands of plugins', () => {
  const run = async (...words: string[]): Promise<unknown[]> => {
    const program = new Command('mortise').exitOverride();
    const calls: unknown[] = [];
    const commands = [
      declared('files check', { positionals: '<file...>', options: [{ flags: '--deep-look', description: 'x' }] }),
      declared('files list'),
      declared('move', { options: [from] }),
      declared('move check', { options: [from] }),
    ];
    addPluginCommands(program, commands, new Map(), (one, args, rest) => {
      calls.push([one.command.name, args, rest]);
      return Promise.resolve();
    });
    for (const command of program.commands)
      for (const leaf of [command, ...command.commands])
        leaf.exitOverride().configureOutput({ writeErr: () => undefined });
    await program.parseAsync(words, { from: 'user' });
    return calls;
  };

  it('take words without a flag where they say so', async () => {
    expect(await run('files', 'check', 'a.yml', '--deep-look', 'b.yml')).to.equal([
      ['files check', { deepLook: true, 'deep-look': true }, ['a.yml', 'b.yml']],
    ]);
    expect(await run('files', 'list')).to.equal([['files list', {}, []]]);
    await expect(run('files', 'check')).to.reject(/missing required argument/);
  });

  it('below a command get an option of theirs, though that one has the same, and ask for it', async () => {
    expect(await run('move', '--from', 'a')).to.equal([['move', { from: 'a' }, []]]);
    expect(await run('move', 'check', '--from', 'b')).to.equal([['move check', { from: 'b' }, []]]);
    await expect(run('move')).to.reject(/required option '--from <path>' not specified/);
    await expect(run('move', 'check')).to.reject(/required option '--from <path>' not specified/);
  });
});
