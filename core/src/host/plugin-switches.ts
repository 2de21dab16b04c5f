import { join } from 'node:path';
import { Conflict, NotFound, type PluginSwitches } from '@mortise/plugin-sdk';
import type { Composition } from '../compose.js';
import { isLocalProcess, runningInstance } from '../instance/index.js';
import { dependentsOf } from '../plugins/disabled.js';
import type { PluginChangeService } from '../plugin-changes/service.js';
import type { HostOptions } from './contract.js';

/** Switching plugins of the running server. */
export function switchesOf(
  { found, plugins, workDir }: Composition,
  options: HostOptions,
  changes: PluginChangeService,
): PluginSwitches {
  /** Where workers can be replaced, every node switches it by itself, and replaces them. */
  const isEverywhere = options.node !== undefined && options.askRestart !== undefined;
  /** Also one that was added since the start. */
  const isKnown = async (name: string): Promise<boolean> => {
    if ([...found, ...plugins.map(({ definition }) => definition)].some((one) => one.name === name)) return true;
    const { PluginStore } = await import('../installed-plugins/store.js');
    return new PluginStore(join(workDir, 'plugins')).has(name);
  };
  const change = async (kind: 'enable' | 'disable', name: string) => {
    // known before a process is started for it; the settings take a star for a pattern
    if (name.includes('*') || !(await isKnown(name))) throw NotFound(`There is no plugin ${name}.`);
    const { switchPlugin } = await import('../installed-plugins/switch-task.js');
    const changed = await switchPlugin(options, { kind, name, isTrial: isEverywhere });
    if (isEverywhere && changed.length > 0) await changes.beginSwitch(kind, name);
    return changed;
  };
  return {
    dependents: (name) =>
      dependentsOf(
        plugins.map(({ definition }) => definition),
        new Set([name]),
      ),
    disable: (name) => change('disable', name),
    enable: (name) => change('enable', name),
    canRestart: options.askRestart !== undefined,
    restart() {
      if (!options.askRestart)
        throw Conflict('The server runs in one process, which nothing can replace: stop it and start it.');
      options.askRestart();
    },
    async lastRestart() {
      const notes = await runningInstance(workDir);
      return notes.find((one) => one.process === process.ppid && isLocalProcess(one))?.restart;
    },
  };
}
