import type { Database, Locks, Logger, StorageArea } from '@mortise/plugin-sdk';
import { isLfsOid } from '../contract/lfs.js';
import { ObjectRow } from '../models/object.js';
import { UploadRow } from '../models/upload.js';
import type { GarbageSettings } from '../settings.js';
import { objectKey, contentLock, batches } from './object-service.js';
import type { PointerScan } from './pointer-scan.js';

const day = 86_400_000;
/** Nothing is uploaded for longer; what looks like it was left by a kill. */
const maxUploadMs = 3 * day;

interface GarbageCollectorDeps {
  readonly database: Database;
  readonly locks: Locks;
  readonly area: StorageArea;
  readonly scan: PointerScan;
  readonly settings: Readonly<GarbageSettings>;
}

/** Deletes what is not needed any more: objects without a pointer, and content without an object. */
export class GarbageCollector {
  constructor(private readonly deps: GarbageCollectorDeps) {}

  async collect(signal: AbortSignal, log: Logger): Promise<void> {
    const { ENABLED, OLDER_THAN } = this.deps.settings;
    const objects = ENABLED ? await this.collectObjects(Date.now() - OLDER_THAN, signal, log) : 0;
    const contents = await this.collectContents(Date.now() - day, signal);
    if (objects + contents > 0) log.info('collected LFS garbage', { event: 'lfs.gc', objects, contents });
  }

  /** Objects last seen before that time which no pointer in their repository's history names. Gives how many went. */
  async collectObjects(before: number, signal: AbortSignal, log: Logger): Promise<number> {
    const { database } = this.deps;
    let gone = 0;
    for (let after = 0; !signal.aborted;) {
      const row = (await database
        .knex()('lfs_object')
        .where('repository_id', '>', after)
        .where('seen_at', '<', before)
        .min({ id: 'repository_id' })
        .first()) as { id: number | null } | undefined;
      if (!row?.id) break;
      after = row.id;
      try {
        gone += await this.#collectOf(after, before, signal);
      } catch (error) {
        // A damaged repository keeps its objects; the others are still collected.
        log.warn('could not collect LFS objects of a repository', {
          event: 'lfs.gc.repository',
          repositoryId: after,
          error: String(error),
        });
      }
    }
    return gone;
  }

  async #collectOf(repositoryId: number, before: number, signal: AbortSignal): Promise<number> {
    const { database, scan } = this.deps;
    // A folder that is not there (a disk that is not mounted) says nothing about what is needed.
    if (!(await scan.exists(repositoryId))) return 0;
    // 64 bytes each in memory: a million pointers are still few.
    const named = new Set<string>();
    for await (const { pointer } of scan.pointers(repositoryId, { signal })) named.add(pointer.oid);
    let gone = 0;
    for (let after = 0; !signal.aborted;) {
      const rows = await database
        .query(ObjectRow)
        .where('repository_id', repositoryId)
        .where('seen_at', '<', before)
        .where('id', '>', after)
        .orderBy('id')
        .limit(500);
      const idle = rows.filter(({ oid }) => !named.has(oid)).map(({ id }) => id);
      if (idle.length > 0)
        gone += await database.write(() =>
          // Said again: somebody may have shown it since.
          database.query(ObjectRow).delete().whereIn('id', idle).where('seen_at', '<', before),
        );
      if (rows.length < 500) break;
      after = rows.at(-1)!.id;
    }
    return gone;
  }

  /** Content that was stored before that time and belongs to no repository. Gives how many went. */
  async collectContents(before: number, signal: AbortSignal): Promise<number> {
    const { database } = this.deps;
    const stale = () => database.query(UploadRow).where('started_at', '<', Date.now() - maxUploadMs);
    if ((await stale().resultSize()) > 0) await database.write(() => stale().delete());
    let gone = 0;
    for await (const oid of this.orphans(before)) {
      if (signal.aborted) break;
      if (await this.#removeContent(oid, before)) gone++;
    }
    return gone;
  }

  /** Ids of content in the storage that no repository has. */
  async *orphans(before: number): AsyncGenerator<string> {
    let waiting: string[] = [];
    for await (const { key, modifiedAt } of this.deps.area.list()) {
      const oid = key.slice(key.lastIndexOf('/') + 1);
      if (!isLfsOid(oid) || key !== objectKey(oid) || modifiedAt >= before) continue;
      waiting.push(oid);
      if (waiting.length < 500) continue;
      yield* await this.#unused(waiting);
      waiting = [];
    }
    yield* await this.#unused(waiting);
  }

  async #unused(oids: readonly string[]): Promise<string[]> {
    const used = new Set<string>();
    for (const some of batches(oids))
      for (const { oid } of await this.deps.database.query(ObjectRow).distinct('oid').whereIn('oid', some))
        used.add(oid);
    return oids.filter((oid) => !used.has(oid));
  }

  /** Under the lock that uploads announce themselves with: either it is seen here, or it finds the content gone. */
  #removeContent(oid: string, before: number): Promise<boolean> {
    const { database, area, locks } = this.deps;
    return locks.hold(contentLock(oid), async () => {
      const info = await area.stat(objectKey(oid));
      if (!info || info.modifiedAt >= before) return false;
      if (await database.query(ObjectRow).findOne({ oid })) return false;
      if (await database.query(UploadRow).findOne({ oid })) return false;
      await area.delete(objectKey(oid));
      return true;
    });
  }
}
