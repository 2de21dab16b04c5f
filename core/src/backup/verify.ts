import type { BackupFolder } from './folder.js';
import type { BlobLine, FileLine, RestorePoint, UnitLine } from './format.js';
import { readList } from './lists.js';
import { CorruptObject } from './store.js';

/** Everything that a point is made of. */
export async function* contentOf(
  { store }: Pick<BackupFolder, 'store'>,
  point: RestorePoint,
): AsyncIterable<{ kind: 'objects' | 'texts'; hash: string }> {
  const texts = (hashes: readonly string[]) => hashes.map((hash) => ({ kind: 'texts' as const, hash }));
  const objects = async function* (lists: readonly string[]) {
    yield* texts(lists);
    for await (const { hash } of readList<FileLine | BlobLine>(store, lists))
      if (hash !== undefined) yield { kind: 'objects' as const, hash };
  };
  for (const { chunks } of point.tables) yield* texts(chunks);
  yield* objects(point.files);
  for (const lists of Object.values(point.areas)) yield* objects(lists);
  for (const lists of Object.values(point.units)) {
    yield* texts(lists);
    for await (const unit of readList<UnitLine>(store, lists)) {
      yield* objects(unit.pointers);
      yield* objects(unit.files);
    }
  }
}

interface BackupVerification {
  readonly objects: number;
  /** In words; empty: everything is as it was written. */
  readonly faults: readonly string[];
}

/** Reads back what the points are made of; `quick` looks only whether it is there. */
export async function verify(
  folder: BackupFolder,
  points: readonly RestorePoint[],
  { quick = false }: { quick?: boolean } = {},
): Promise<BackupVerification> {
  const { store } = folder;
  const seen = new Set<string>();
  const faults: string[] = [];
  const note = (error: unknown, point: RestorePoint) => {
    if (!(error instanceof CorruptObject)) throw error;
    faults.push(`${point.id}: ${error.message}`);
  };
  for (const point of points) {
    try {
      for await (const { kind, hash } of contentOf(folder, point)) {
        const name = kind[0] + hash;
        if (seen.has(name)) continue;
        seen.add(name);
        try {
          await check(folder, kind, hash, quick);
        } catch (error) {
          note(error, point);
        }
      }
      for (const fault of point.faults ?? []) faults.push(`${point.id}: ${fault}`);
      for (const { name, rows, chunks } of point.tables) {
        let count = 0;
        for await (const _ of readList(store, chunks)) count++;
        if (count !== rows) faults.push(`${point.id}: the table ${name} has ${count} of ${rows} rows`);
      }
    } catch (error) {
      // a list that cannot be read: what it names is not known
      note(error, point);
    }
  }
  return { objects: seen.size, faults: [...new Set(faults)] };
}

async function check({ store }: BackupFolder, kind: 'objects' | 'texts', hash: string, quick: boolean): Promise<void> {
  if (!(await store.has(kind, hash))) throw new CorruptObject(`the ${kind.slice(0, -1)} ${hash} is missing`);
  if (quick) return;
  if (kind === 'texts') await store.text(hash);
  else for await (const _ of store.read(hash)) continue;
}

/** Takes damaged content away, so that the next back-up writes it anew where it still can. */
export async function removeCorrupt({ store }: BackupFolder): Promise<number> {
  let removed = 0;
  for (const kind of ['objects', 'texts'] as const)
    for await (const hash of store.list(kind))
      try {
        if (kind === 'texts') await store.text(hash);
        else for await (const _ of store.read(hash)) continue;
      } catch (error) {
        if (!(error instanceof CorruptObject)) throw error;
        await store.remove(kind, hash);
        removed++;
      }
  return removed;
}
