import { database, storage, takeoverMappings, type PluginHost } from '@mortise/plugin-sdk';
import { taskLogs } from '../contract/logs.js';
import type { ActionsSettings } from '../settings.js';
import { logArea } from './logs.js';
import { workflowFiles } from './runs.js';
import { registration, secretStore } from './runners.js';

/** What comes from another server. */
export function registerTakeover(host: PluginHost, settings: ActionsSettings): void {
  host.contribute(
    takeoverMappings,
    { database, files: workflowFiles, logs: taskLogs, registration, secretStore, storage },
    ({ storage, ...services }) => ({
      key: 'actions',
      tables: async () =>
        (await import('../takeover/tables.js')).tables({
          ...services,
          area: storage.area(logArea),
          packing: settings.LOG_COMPRESSION,
          maxBytes: settings.LOG_MAX_SIZE * 1024 * 1024,
        }),
      afterPass: async () => (await import('../takeover/after-pass.js')).afterPass({ ...services, settings }),
    }),
  );
}
