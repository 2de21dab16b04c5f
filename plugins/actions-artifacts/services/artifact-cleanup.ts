import type { Database } from '@mortise/plugin-sdk';
import { ArtifactRow, artifactStatus } from '../models/artifact.js';
import { CacheRow } from '../models/cache.js';
import { UploadRow } from '../models/upload.js';
import { artifactArea, type ArtifactService } from './artifacts.js';
import { cacheArea, type CacheService } from './caches.js';
import type { OrphanBlobs } from './orphan-blobs.js';
import type { Uploads } from './uploads.js';

const day = 86_400_000;
const batch = 200;

interface ArtifactCleanupDeps {
  readonly database: Database;
  readonly artifacts: ArtifactService;
  readonly caches: CacheService;
  readonly uploads: Uploads;
  readonly orphanBlobs: OrphanBlobs;
  /** Days that a cache is kept after its last use. */
  readonly cacheDays: number;
}

/** What goes with its run or its repository, and what goes because its time is over. */
export class ArtifactCleanup {
  constructor(private readonly deps: ArtifactCleanupDeps) {}

  /** Within the deletion of runs. */
  async forgetRuns(runIds: readonly number[]): Promise<void> {
    const { database, artifacts } = this.deps;
    for (let at = 0; at < runIds.length; at += batch)
      await artifacts.remove(await database.query(ArtifactRow).whereIn('run_id', runIds.slice(at, at + batch)));
  }

  /** Within the deletion of a repository. */
  async forgetRepository(repositoryId: number): Promise<void> {
    const { database, artifacts, caches } = this.deps;
    await artifacts.remove(await database.query(ArtifactRow).where('repository_id', repositoryId));
    await caches.remove(await database.query(CacheRow).where('repository_id', repositoryId));
  }

  async cleanUp(now: number, signal: AbortSignal): Promise<void> {
    const { database, artifacts, caches, uploads, orphanBlobs, cacheDays } = this.deps;
    const before = now - day;
    await this.#each(
      signal,
      () => this.#expired(now),
      (rows) => this.#expire(rows),
    );
    await this.#each(
      signal,
      () =>
        database
          .query(ArtifactRow)
          .where('status', artifactStatus.pending)
          .where('updated_at', '<', before)
          .whereNotIn('upload_id', database.query(UploadRow).select('id').where('updated_at', '>=', before))
          .limit(batch)
          .execute(),
      (rows) => artifacts.remove(rows),
    );
    await this.#each(
      signal,
      () =>
        database
          .query(CacheRow)
          .where((either) =>
            either
              .where((done) => done.where('is_complete', true).where('used_at', '<', now - cacheDays * day))
              .orWhere((begun) => begun.where('is_complete', false).where('used_at', '<', before)),
          )
          .limit(batch)
          .execute(),
      (rows) => caches.remove(rows),
    );
    await this.#each(
      signal,
      () =>
        database
          .query(UploadRow)
          .where('updated_at', '<', before)
          .whereNotIn('id', database.query(ArtifactRow).select('upload_id').where('upload_id', '>', 0))
          .whereNotIn('id', database.query(CacheRow).select('upload_id').where('upload_id', '>', 0))
          .limit(batch)
          .execute(),
      (rows) => database.write(() => uploads.discard(rows.map(({ id }) => id))),
    );
    await orphanBlobs.remove(signal);
    await orphanBlobs.sweep([artifactArea, cacheArea], now, signal);
  }

  /** Over; also what lost its run without a word, which is then over. */
  #expired(now: number): Promise<ArtifactRow[]> {
    return this.deps.database
      .query(ArtifactRow)
      .where('status', artifactStatus.confirmed)
      .where('expires_at', '<', now)
      .limit(batch)
      .execute();
  }

  async #expire(rows: readonly ArtifactRow[]): Promise<void> {
    const { database, orphanBlobs } = this.deps;
    await database.write(async () => {
      await orphanBlobs.add(
        artifactArea,
        rows.map(({ key }) => key),
      );
      await database
        .query(ArtifactRow)
        .patch({ status: artifactStatus.expired, key: '', updated_at: Date.now() })
        .whereIn(
          'id',
          rows.map(({ id }) => id),
        );
    });
  }

  async #each<T>(
    signal: AbortSignal,
    find: () => Promise<readonly T[]>,
    work: (rows: readonly T[]) => Promise<void>,
  ): Promise<void> {
    while (!signal.aborted) {
      const rows = await find();
      if (rows.length === 0) return;
      await work(rows);
    }
  }
}
