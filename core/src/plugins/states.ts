import type { PluginState } from '@mortise/plugin-sdk';
import type { PluginPackage } from './discover.js';

/** What lies on the disk now, and which of it the settings turn off. */
export interface PluginsOnDisk {
  readonly packages: readonly PluginPackage[];
  isOff(name: string): boolean;
}

/**
 * What a restart would change of a plugin. `running`: its version where it runs; `onDisk`: undefined where it is gone or
 * was never a package (a definition that the program gave).
 */
export function pendingChange(
  running: string | undefined,
  onDisk: PluginPackage | undefined,
  isOff: boolean,
): PluginState['waiting'] {
  if (running === undefined) return onDisk && !isOff ? 'start' : undefined;
  if (!onDisk || isOff) return 'stop';
  return onDisk.version === running ? undefined : 'update';
}
