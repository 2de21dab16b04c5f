import type { PluginState } from '@mortise/plugin-sdk';
import type { Composition } from '../compose.js';
import type { KernelDatabase } from '../contracts.js';
import type { PluginErrors } from '../plugin-errors/index.js';
import { summarizeErrors } from '../plugin-errors/report.js';
import { pendingChange } from '../plugins/states.js';

/** Every plugin that runs, failed, or lies on the disk, with what went wrong in it and what a restart changes. */
export async function statesOf(
  composition: Composition,
  database: KernelDatabase,
  pluginErrors: PluginErrors,
): Promise<readonly PluginState[]> {
  // those of this process that are not written yet
  await pluginErrors.flush();
  const lines = await summarizeErrors(composition, database, pluginErrors);
  const { packages, isOff } = composition.onDisk();
  const disk = new Map(packages.map((one) => [one.name, one]));
  const isGiven = new Set(composition.plugins.filter((one) => !one.package).map((one) => one.definition.name));
  const overrides = [...composition.declarations.overrides.values()];
  const listed = composition.directory.list();
  const known = new Set(listed.map((one) => one.name));
  const arrived = packages.filter((one) => !known.has(one.name));
  return [
    ...listed,
    ...arrived.map(({ name, version }) => ({ name, version, description: '', enabled: false, problem: undefined })),
  ].map(({ name, version, description, enabled, problem }): PluginState => {
    const state = disk.get(name);
    const other = state && state.version !== version ? state.version : undefined;
    const waiting =
      isGiven.has(name) || problem !== undefined
        ? undefined
        : pendingChange(enabled ? version : undefined, state, isOff(name));
    return {
      name,
      version: version || (state?.version ?? ''),
      description,
      enabled,
      ...(problem !== undefined && { problem }),
      ...(state && { from: state.from }),
      ...(enabled && other !== undefined && { onDisk: other }),
      ...(waiting && { waiting }),
      overrides: overrides.filter(({ owner }) => owner === name).map(({ ref }) => ref.id),
      errors: lines.filter((one) => one.plugin === name).map((one) => one.text),
    };
  });
}
