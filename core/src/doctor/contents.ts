import { createHash } from 'node:crypto';
import { backupSources, Problem, type Finding, type NamedBlob, type StorageArea } from '@mortise/plugin-sdk';
import { contentHashIn } from '../backup/area-backup.js';
import { ExternalSorter } from '../backup/external-sorter.js';
import { openSource } from '../backup/open-rows.js';
import { rowsOf } from '../backup/tables.js';
import type { Composition } from '../compose.js';
import type { ManagedStorage } from '../contracts.js';

/** Reads everything that is stored and has a known hash, and looks for everything that rows name. */
export async function* checkContents(composition: Composition, storage: ManagedStorage): AsyncGenerator<Finding> {
  const sources = composition.points.reader(backupSources).list();
  const caches = new Set(sources.flatMap((source) => source.caches?.areas ?? []));
  let read = 0;
  for (const name of await storage.areas()) {
    if (caches.has(name)) continue;
    const area = storage.area(name);
    for await (const { key } of area.list()) {
      const hash = contentHashIn(key);
      if (hash === undefined) continue;
      read++;
      yield* compare(area, name, key, hash);
    }
  }
  // Read after the rows, whose open view would hold up the database for hours.
  const later = new ExternalSorter<NamedBlob>(composition.workDir);
  const rows = await openSource({ composition });
  try {
    for (const source of sources)
      for await (const blob of source.blobs?.(rowsOf(rows)) ?? []) {
        const { area, key, size, sha256 } = blob;
        const info = await storage.area(area).stat(key);
        if (!info) yield { level: 'error', text: `${area}/${key}, which a row names, is missing` };
        else if (size !== undefined && info.size !== size)
          yield { level: 'error', text: `${area}/${key} has ${info.size} bytes; its row says ${size}` };
        else if (sha256 !== undefined && contentHashIn(key) === undefined) await later.add(blob);
      }
  } finally {
    await rows.close();
  }
  for await (const { info: blob } of later.sorted()) {
    read++;
    yield* compare(storage.area(blob.area), blob.area, blob.key, blob.sha256!);
  }
  yield { level: 'ok', text: `${read} stored files were read and compared with their hashes` };
}

/** One that cannot be read does not keep the others from being looked at. */
async function* compare(area: StorageArea, name: string, key: string, hash: string): AsyncGenerator<Finding> {
  const found = createHash('sha256');
  try {
    for await (const chunk of (await area.get(key)).stream) found.update(chunk as Buffer);
  } catch (error) {
    // deleted since it was listed
    if (Problem.is(error) && error.code === 'not_found') return;
    yield { level: 'error', text: `${name}/${key} cannot be read: ${(error as Error).message}` };
    return;
  }
  if (found.digest('hex') !== hash)
    yield { level: 'error', text: `${name}/${key} is damaged: its content has not the hash that it was stored with` };
}
