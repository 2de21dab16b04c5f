import { Conflict, NotFound, type PluginSwitches } from '@mortise/plugin-sdk';
import type { Composition } from '../compose.js';
import { isLocalProcess, runningInstance } from '../instance/index.js';
import { dependentsOf } from '../plugins/disabled.js';
import { knownNames } from '../plugins/known.js';
import type { PluginChangeService } from '../plugin-changes/service.js';
import type { HostOptions } from './contract.js';

/** Switching plugins of the running server. */
export function switchesOf(
  composition: Composition,
  options: HostOptions,
  changes: PluginChangeService,
): PluginSwitches {
  const { plugins, workDir } = composition;
  /** Where workers can be replaced, every node switches it by itself, and replaces them. */
  const isEverywhere = options.node !== undefined && options.askRestart !== undefined;
  const change = async (kind: 'enable' | 'disable', name: string) => {
    // before a process is started for it; a pattern, which the settings would take, is no name
    if (!knownNames(composition).has(name)) throw NotFound(`There is no plugin ${name}.`);
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
