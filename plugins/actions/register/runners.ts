import type { AnyRef, PluginHost } from '@mortise/plugin-sdk';
import type { ActionsSettings } from '../settings.js';

export const runnerProvides: readonly AnyRef[] = [];

/** Runners, secrets, variables and the tasks that runners take. */
export function registerRunners(_host: PluginHost, _settings: ActionsSettings): void {}
