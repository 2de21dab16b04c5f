import { isAbsolute, join } from 'node:path';
import { definePlugin, database, events, jobs, site } from '@mortise/plugin-sdk';
import { gitProcesses, gitReader, gitStore, gitWriter, pushHints, refChecks, refsUpdated, refUpdates } from './api.js';
import { maintain, maintainRepository } from './jobs/maintain.js';
import { forgetChanges, forgetOldChanges } from './jobs/forget-changes.js';
import { gitCore } from './services/core.js';
import { openGit } from './services/open.js';
import { RefGate, settlingMs } from './services/gate.js';
import { Writer } from './services/writer.js';
import { gitSettings } from './settings.js';

export default definePlugin({
  name: 'git',
  version: '1.0.0',
  description: 'Git storage: pooled object reads, references, the write gate',
  sdk: '^1.0.0',
  provides: [
    gitStore,
    gitReader,
    gitWriter,
    refUpdates,
    gitProcesses,
    refsUpdated,
    refChecks,
    pushHints,
    gitCore,
    maintainRepository,
    forgetChanges,
  ],

  register(host) {
    const settings = host.settings('git', gitSettings);
    host.migrations(new URL('./migrations/', import.meta.url));
    const checks = host.point(refChecks);
    const hints = host.point(pushHints);

    host.service(gitCore, { site }, ({ site }) => {
      const root = settings.HOME_PATH || 'repositories';
      return openGit(isAbsolute(root) ? root : join(site.workDir, root), settings);
    });
    host.service(gitProcesses, { core: gitCore }, ({ core }) => core.runner);
    host.service(gitStore, { core: gitCore }, ({ core }) => core.store);
    host.service(gitReader, { core: gitCore }, ({ core }) => core.reader);
    host.service(refUpdates, { core: gitCore, database, events, jobs }, ({ core, ...services }) => {
      const maintenanceDelayMs = settings.MAINTENANCE ? settings.MAINTENANCE_DELAY * 1000 : undefined;
      return new RefGate({ ...core, ...services, checks, hints, log: host.log, maintenanceDelayMs });
    });
    host.service(
      gitWriter,
      { core: gitCore, gate: refUpdates },
      ({ core, gate }) => new Writer(core.store, core.runner, core.reader, gate),
    );

    host.job(
      maintainRepository,
      { attempts: 2, leaseMs: 600_000, concurrency: 1 },
      { core: gitCore },
      async (job, { core }) =>
        maintain(
          core.store,
          core.runner,
          { looseObjects: settings.LOOSE_OBJECTS, packs: settings.PACK_COUNT },
          job,
          host.log,
        ),
    );
    host.job(forgetChanges, {}, { database }, async (_payload, { database }) => forgetOldChanges(database));
    host.schedule('forget-changes', '17 3 * * *', forgetChanges, {});

    host.healthCheck('git', { core: gitCore }, async ({ core }) => core.check());
    host.onStart({ core: gitCore, gate: refUpdates }, async ({ core, gate }) => {
      await core.store.sweep();
      await (gate as RefGate).repair();
      const later = setTimeout(() => void (gate as RefGate).repair().catch(() => undefined), settlingMs + 1000);
      later.unref();
      return () => {
        clearTimeout(later);
        core.stop();
      };
    });
  },
});
