import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const maxEntries = 5_000_000;

/**
 * Unpacks an archive of artifacts below a folder. Names that lead out of it are refused, and files that are larger than the
 * archive tells. Gives how many files it had.
 */
export async function unzip(path: string, folder: string): Promise<number> {
  const { default: yauzl } = await import('yauzl');
  const zip = await yauzl.openPromise(path, { strictFileNames: true });
  try {
    if (zip.entryCount > maxEntries) throw new Error(`the archive has more than ${maxEntries} files`);
    for await (const entry of zip.eachEntry()) {
      const target = join(folder, entry.fileName);
      if (entry.fileName.endsWith('/')) await mkdir(target, { recursive: true });
      else {
        await mkdir(dirname(target), { recursive: true });
        await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(target));
      }
    }
    return zip.entriesRead;
  } finally {
    zip.close();
  }
}
