import type { BackupRows, Database, Finding, NamedBlob } from '@mortise/plugin-sdk';
import { ObjectRow } from '../models/object.js';
import type { GarbageCollector } from './garbage-collector.js';
import { objectKey, type ObjectService } from './object-service.js';

/** What a back-up must hold for the rows of its moment. */
export async function* namedBlobs(rows: BackupRows): AsyncGenerator<NamedBlob> {
  for await (const [oid, size] of rows.rows('lfs_object', ['oid', 'size']))
    yield { area: 'lfs', key: objectKey(String(oid)), size: Number(size), sha256: String(oid) };
}

/** Every object has its content in the right length, and all content belongs to somebody. */
export async function* checkContents(
  { database, objects, collector }: { database: Database; objects: ObjectService; collector: GarbageCollector },
  { fix }: { fix: boolean },
): AsyncGenerator<Finding> {
  const batch = 500;
  let checked = 0;
  for (let after = 0; ;) {
    const rows = await database.query(ObjectRow).where('id', '>', after).orderBy('id').limit(batch);
    for (const row of rows) {
      checked++;
      const info = await objects.area.stat(objectKey(row.oid));
      if (info?.size === Number(row.size)) continue;
      // Without its row a client that has the content sends it again.
      if (fix) await database.write(() => database.query(ObjectRow).deleteById(row.id));
      const state = info ? `has ${info.size} bytes instead of ${row.size}` : 'has no content';
      yield {
        level: 'error',
        text: `LFS object ${row.oid} of repository ${row.repository_id} ${state}${fix ? '; it can be uploaded again' : ''}`,
        fixed: fix,
      };
    }
    if (rows.length < batch) break;
    after = rows.at(-1)!.id;
  }
  const before = Date.now() - 86_400_000;
  let idle = 0;
  if (fix) idle = await collector.collectContents(before, new AbortController().signal);
  else for await (const oid of collector.orphans(before)) if (oid) idle++;
  if (idle > 0) yield { level: 'warning', text: `${idle} LFS contents belong to no repository`, fixed: fix };
  yield { level: 'ok', text: `${checked} LFS objects were looked at` };
}
