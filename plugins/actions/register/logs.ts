import type { AnyRef, PluginHost } from '@mortise/plugin-sdk';
import type { ActionsSettings } from '../settings.js';

export const logProvides: readonly AnyRef[] = [];

/** Logs of tasks. */
export function registerLogs(_host: PluginHost, _settings: ActionsSettings): void {}
