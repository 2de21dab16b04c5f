import { Readable } from 'node:stream';
import type { SourceDatabase } from './source-database.js';

/** Blocks that are read at once; each has up to 32 KiB. */
const blocksAtOnce = 16;

type Rows = Pick<SourceDatabase, 'rowsWith'>;

/**
 * A file that the server has in its tables `dbfs_meta` and `dbfs_data`, in blocks; undefined: none. There, the number of
 * slashes in the path stands before it (https://github.com/go-gitea/gitea/blob/main/models/dbfs/dbfile.go).
 */
export async function openDatabaseFile(source: Rows, path: string): Promise<Readable | undefined> {
  const name = `${path.split('/').length - 1}:${path}`;
  const [file] = await source.rowsWith('dbfs_meta', 'full_path', [name], ['id', 'file_size']);
  if (!file) return undefined;
  return Readable.from(bytesOf(source, Number(file.id), Number(file.file_size)), { objectMode: false });
}

async function* bytesOf(source: Rows, fileId: number, size: number): AsyncGenerator<Buffer> {
  const blocks = (await source.rowsWith('dbfs_data', 'meta_id', [fileId], ['id', 'blob_offset']))
    .map((row) => ({ id: Number(row.id), offset: Number(row.blob_offset) }))
    .sort((one, other) => one.offset - other.offset);
  for (let at = 0; at < blocks.length; at += blocksAtOnce) {
    const some = blocks.slice(at, at + blocksAtOnce);
    const rows = await source.rowsWith(
      'dbfs_data',
      'id',
      some.map(({ id }) => id),
      ['blob_data'],
    );
    const dataOf = new Map(rows.map((row) => [Number(row.id), row.blob_data]));
    for (const { id, offset } of some) {
      const data = dataOf.get(id);
      // what lies behind the end was there before the file was made shorter
      if (Buffer.isBuffer(data) && offset < size) yield data.subarray(0, size - offset);
    }
  }
}
