import type { Command } from 'commander';
import { BadRequest, type PluginCapability } from '@mortise/plugin-sdk';
import type { HostOptions } from '../host.js';

const restart = 'restart Mortise to have it';

/** `mortise plugins add|update|remove|enable|disable`. */
export function pluginChangeCommands(plugins: Command, options: () => HostOptions): void {
  const open = async () => new (await import('../installed-plugins/index.js')).InstalledPlugins(options());
  const scripts = ['--allow-scripts', 'let the libraries that it brings run their install scripts'] as const;

  plugins
    .command('add <package>')
    .description('Add a plugin to the work folder: a package name, a packed file (.tgz) or a folder')
    .option(...scripts)
    .action(async (wanted: string, { allowScripts }: { allowScripts?: boolean }) => {
      const { name, version, capabilities } = await (await open()).add(wanted, { allowScripts });
      console.log(`added ${name} ${version}; ${restart}`);
      console.log(capabilitiesLine(capabilities));
    });

  plugins
    .command('update <package>')
    .description('Replace an added plugin by a newer version: its name, or the newer file or folder')
    .option(...scripts)
    .action(async (wanted: string, { allowScripts }: { allowScripts?: boolean }) => {
      const { name, version, from, capabilities } = await (await open()).update(wanted, { allowScripts });
      console.log(`updated ${name} from ${from} to ${version}; ${restart}`);
      console.log(capabilitiesLine(capabilities));
    });

  plugins
    .command('remove <name>')
    .description('Remove an added plugin; its data stays unless it is purged')
    .option('--purge', 'delete its tables, files, jobs, events and settings too; the server must not run')
    .action(async (name: string, { purge = false }: { purge?: boolean }) => {
      const added = await open();
      if (purge) {
        await added.checkPurgeable(name);
        for (const line of await purged(options(), name)) console.log(line);
      }
      const { version } = await added.remove(name);
      console.log(
        purge
          ? `removed ${name} ${version} and its data`
          : `removed ${name} ${version}; its data stays (mortise doctor lists it)`,
      );
    });

  switchCommands(plugins, options);
}

const capabilityTexts: Readonly<Record<PluginCapability, string>> = {
  network: 'reach other servers',
  files: 'read and write files',
  processes: 'start programs',
  native: 'load compiled code',
  database: 'query the database',
};

/** What a plugin can do, in words. */
export const capabilitiesLine = (capabilities: readonly PluginCapability[]): string =>
  capabilities.length === 0
    ? 'it needs no capabilities'
    : `it can ${capabilities.map((one) => capabilityTexts[one]).join(', ')}`;

function switchCommands(plugins: Command, options: () => HostOptions): void {
  plugins
    .command('enable <names...>')
    .description('Take plugins out of [plugins] DISABLED, and try those again that ended the last starts')
    .action(async (wanted: string[]) => {
      const { enablePlugins } = await import('../installed-plugins/switches.js');
      const changed = await enablePlugins(options(), wanted);
      console.log(
        changed.length > 0 ? `enabled ${changed.join(', ')}; ${restart}` : `already enabled: ${wanted.join(', ')}`,
      );
    });

  plugins
    .command('disable <names...>')
    .description('List plugins in [plugins] DISABLED, with those that cannot do without them; package-* names several')
    .action(async (wanted: string[]) => {
      const { disablePlugins } = await import('../installed-plugins/switches.js');
      const added = await disablePlugins(options(), wanted);
      console.log(
        added.length > 0
          ? `disabled ${added.join(', ')}; restart Mortise to be without`
          : `already disabled: ${wanted.join(', ')}`,
      );
    });
}

async function purged(options: HostOptions, name: string): Promise<string[]> {
  const { createHost } = await import('../host.js');
  const { purge } = await import('../installed-plugins/purge.js');
  const { withPluginOn } = await import('../installed-plugins/index.js');
  // others that do not fit, or cannot start, are nothing to it
  const host = await createHost({
    ...withPluginOn(options, name),
    logStream: 'stderr',
    logLevel: 'none',
    tolerant: true,
  });
  try {
    if (!host.composition.plugins.some((one) => one.definition.name === name))
      throw BadRequest(
        [`${name} cannot be loaded, and its data can be removed only while it is:`, ...host.composition.problems].join(
          '\n  - ',
        ),
      );
    return await purge(host, name);
  } finally {
    await host.stop();
  }
}
