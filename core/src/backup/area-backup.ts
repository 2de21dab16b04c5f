import { Problem, type BlobInfo, type StorageArea } from '@mortise/plugin-sdk';
import type { DeletedBlobs } from '../contracts.js';
import { ExternalSorter, sortKeyOf } from './external-sorter.js';
import type { BlobLine } from './format.js';
import { ListWriter, readList } from './lists.js';
import type { ObjectStore } from './store.js';

const maxConcurrentBlobs = 4;
/** Corrupt blobs of an area that a back-up names. */
const maxCorruptKeys = 1000;

/** The SHA-256 of the content in a key of an area whose keys have it; such content need not be read to know it. */
export const contentHashIn = (key: string) => /^([0-9a-f]{2})\/([0-9a-f]{2})\/(\1\2[0-9a-f]{60})$/.exec(key)?.[3];

interface AreaBackupOptions {
  readonly store: ObjectStore;
  readonly area: StorageArea;
  readonly deleted: DeletedBlobs;
  /** Lists of the area in the previous back-up. */
  readonly previousLists: readonly string[];
  /** Blobs that were stored after that time are left out. Milliseconds since 1970. */
  readonly until?: number;
  /** Receives the keys of blobs whose content does not have the SHA-256 that their key names. */
  readonly corruptKeys?: Set<string>;
}

/** All blobs of an area, and those that were deleted since `deleted` was cleared. */
export async function backUpArea({
  store,
  area,
  deleted,
  previousLists,
  until = Infinity,
  corruptKeys,
}: AreaBackupOptions): Promise<string[]> {
  const sorter = new ExternalSorter(store.folder);
  for await (const info of area.list()) if (info.modifiedAt <= until) await sorter.add(info);
  for await (const info of deleted.list()) if (info.modifiedAt <= until) await sorter.add(info);
  const writer = new ListWriter(store);
  const before = readList<BlobLine>(store, previousLists)[Symbol.asyncIterator]();
  let next = await before.next();
  let waiting: Promise<BlobLine | undefined>[] = [];
  const flush = async () => {
    for (const line of await Promise.all(waiting)) if (line) await writer.add(line, line.key);
    waiting = [];
  };
  let last: string | undefined;
  for await (const { order, info } of sorter.sorted()) {
    if (info.key === last) continue;
    last = info.key;
    while (!next.done && sortKeyOf(next.value.key) < order) next = await before.next();
    const same = !next.done && next.value.key === info.key ? next.value : undefined;
    waiting.push(backUpBlob(store, area, deleted, info, same, corruptKeys));
    if (waiting.length >= maxConcurrentBlobs) await flush();
  }
  await flush();
  return writer.end();
}

async function backUpBlob(
  store: ObjectStore,
  area: StorageArea,
  deleted: DeletedBlobs,
  { key, size, modifiedAt }: BlobInfo,
  before: BlobLine | undefined,
  corruptKeys?: Set<string>,
): Promise<BlobLine | undefined> {
  const named = contentHashIn(key);
  const unchanged = before?.size === size && before.modifiedAt === modifiedAt ? before.hash : undefined;
  // content that was corrupt then is reported again, unless it has been restored since
  const hash = named ?? unchanged;
  if (hash && (await store.has('objects', hash))) return { key, size, modifiedAt, hash };
  const stream = await area.get(key).then(
    (got) => got.stream,
    (error: unknown) => {
      if (Problem.is(error) && error.code === 'not_found') return deleted.get(key);
      throw error;
    },
  );
  if (!stream) return undefined;
  const copied = await store.addStream(stream);
  if (named && copied.hash !== named && corruptKeys && corruptKeys.size < maxCorruptKeys) corruptKeys.add(key);
  return { key, modifiedAt, ...copied };
}
