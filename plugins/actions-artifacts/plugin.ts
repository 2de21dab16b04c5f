import {
  backupSources,
  database,
  definePlugin,
  fromPackage,
  defineService,
  jobs,
  locks,
  site,
  storage,
  takeoverMappings,
} from '@mortise/plugin-sdk';
import { reservedNames, storedBytes } from '@mortise/accounts/api';
import {
  actionsSettings,
  cleanUpDue,
  firstAttemptRecorded,
  runAttempts,
  runPageSections,
  runsDeleted,
  runtimeTasks,
} from '@mortise/actions/api';
import { markup } from '@mortise/markup/api';
import { repositories, repositoryDeleting, repositoryQuota } from '@mortise/repositories/api';
import { runArtifacts } from './api.js';
import { cleanUpArtifacts, removeOrphanBlobs } from './contract/cleanup-jobs.js';
import { ArtifactRow } from './models/artifact.js';
import { runArtifactRoutes } from './pages/run-artifact-routes.js';
import { runArtifactsSection } from './pages/run-artifacts.js';
import { cacheRoutes } from './routes/caches.js';
import { artifactApiRoutes } from './routes/artifact-api.js';
import { summaryRoutes } from './routes/summaries.js';
import { v3Routes } from './routes/v3.js';
import { v4Routes } from './routes/v4.js';
import { artifactArea, ArtifactService, namedArtifacts } from './services/artifacts.js';
import { cacheArea, CacheService, namedCaches } from './services/caches.js';
import { ArtifactCleanup } from './services/artifact-cleanup.js';
import { OrphanBlobs } from './services/orphan-blobs.js';
import { ArtifactsOfRuns } from './services/run-artifacts.js';
import { AddressSigner } from './services/address-signer.js';
import { StepSummaries } from './services/step-summaries.js';
import { uploadBytes, Uploads } from './services/uploads.js';
import { artifactSettings, cacheSettings } from './settings.js';

/** Shared inside this plugin only. */
const orphanBlobs = defineService<OrphanBlobs>('actions-artifacts.orphanBlobs');
const uploads = defineService<Uploads>('actions-artifacts.uploads');
const artifacts = defineService<ArtifactService>('actions-artifacts.artifacts');
const caches = defineService<CacheService>('actions-artifacts.caches');
const summaries = defineService<StepSummaries>('actions-artifacts.summaries');
const signer = defineService<AddressSigner>('actions-artifacts.signer');
const cleanup = defineService<ArtifactCleanup>('actions-artifacts.cleanup');

const megabyte = 1024 * 1024;
const nightly = { attempts: 2, concurrency: 1, leaseMs: 3_600_000, timeoutMs: 6 * 3_600_000 };

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),
  provides: [
    runArtifacts,
    removeOrphanBlobs,
    cleanUpArtifacts,
    orphanBlobs,
    uploads,
    artifacts,
    caches,
    summaries,
    signer,
    cleanup,
  ],
  areas: [artifactArea, cacheArea],

  register(host) {
    const sizes = host.settings('actions.artifacts', artifactSettings);
    const ofCaches = host.settings('actions.cache', cacheSettings);
    host.migrations(new URL('./migrations/', import.meta.url));

    host.service(
      orphanBlobs,
      { database, jobs, storage },
      (services) => new OrphanBlobs(services.database, services.jobs, services.storage),
    );
    host.service(
      uploads,
      { database, locks, storage, orphanBlobs, repositoryQuota },
      (services) => new Uploads(services),
    );
    host.service(
      artifacts,
      { database, uploads, orphanBlobs, settings: actionsSettings },
      ({ settings, ...services }) =>
        new ArtifactService({
          ...services,
          retentionDays: settings.ARTIFACT_RETENTION_DAYS,
          maxSize: sizes.MAX_SIZE * megabyte,
          maxPerRun: sizes.MAX_PER_RUN,
        }),
    );
    host.service(
      caches,
      { database, uploads, orphanBlobs, repositories },
      (services) =>
        new CacheService({
          ...services,
          maxEntrySize: ofCaches.MAX_ENTRY_SIZE * megabyte,
          maxSize: ofCaches.MAX_SIZE * megabyte,
          maxEntries: ofCaches.MAX_ENTRIES,
        }),
    );
    host.service(summaries, { database }, (services) => new StepSummaries(services.database));
    host.service(signer, { site }, (services) => new AddressSigner(services.site.secret('actions artifacts')));
    host.service(
      cleanup,
      { database, artifacts, caches, uploads, orphanBlobs },
      (services) => new ArtifactCleanup({ ...services, cacheDays: ofCaches.RETENTION_DAYS }),
    );
    host.service(
      runArtifacts,
      { database, artifacts, summaries },
      (services) => new ArtifactsOfRuns(services.database, services.artifacts, services.summaries),
    );

    host.contribute(storedBytes, { key: 'actions-artifacts', count: uploadBytes });
    host.contribute(backupSources, {
      key: 'actions-artifacts',
      async *blobs(rows) {
        yield* namedArtifacts(rows);
        yield* namedCaches(rows);
      },
    });
    host.contribute(takeoverMappings, { storage }, (services) => ({
      key: 'actions-artifacts',
      tables: async () => (await import('./takeover/tables.js')).tables(() => services.storage.area(artifactArea)),
    }));
    host.contribute(reservedNames, { names: ['twirp'] });
    host.on(runsDeleted, 'within', 'forget-artifacts', { cleanup }, ({ runIds }, services) =>
      services.cleanup.forgetRuns(runIds),
    );
    host.on(firstAttemptRecorded, 'within', 'keep-first-attempt', { database }, async (event, services) => {
      const { runId, attemptId } = event;
      await services.database
        .query(ArtifactRow)
        .where({ run_id: runId, run_attempt_id: 0 })
        .patch({ run_attempt_id: attemptId });
    });
    host.on(repositoryDeleting, 'within', 'forget-repository', { cleanup }, ({ repositoryId }, services) =>
      services.cleanup.forgetRepository(repositoryId),
    );
    host.job(removeOrphanBlobs, { concurrency: 1 }, { orphanBlobs }, (_payload, services, { signal }) =>
      services.orphanBlobs.remove(signal),
    );
    host.job(cleanUpArtifacts, nightly, { cleanup }, (_payload, services, { signal }) =>
      services.cleanup.cleanUp(Date.now(), signal),
    );
    host.on(cleanUpDue, 'within', 'clean-up', { jobs }, async (_event, services) => {
      await services.jobs.enqueue(cleanUpArtifacts, {}, { uniqueKey: 'clean up artifacts' });
    });

    const ofTasks = { tasks: runtimeTasks, artifacts, uploads, signer, site, storage };
    host.routes(ofTasks, v4Routes);
    host.routes(ofTasks, v3Routes);
    host.routes({ tasks: runtimeTasks, summaries }, summaryRoutes);
    host.routes({ database, artifacts, signer, site, storage }, artifactApiRoutes);
    host.contribute(runPageSections, { runArtifacts, markup }, (services) => runArtifactsSection(services));
    host.routes({ database, runArtifacts, runAttempts, site, storage }, runArtifactRoutes);
    if (ofCaches.ENABLED) host.routes({ tasks: runtimeTasks, caches, uploads, signer, site, storage }, cacheRoutes);
  },
});
