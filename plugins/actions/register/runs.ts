import type { AnyRef, PluginHost } from '@mortise/plugin-sdk';
import { repositoryUnits } from '@mortise/repositories/api';
import type { ActionsSettings } from '../settings.js';
import { actionsUnit } from '../unit.js';

export const runProvides: readonly AnyRef[] = [];

/** Workflows, runs and jobs. */
export function registerRuns(host: PluginHost, _settings: ActionsSettings): void {
  host.contribute(repositoryUnits, actionsUnit);
}
