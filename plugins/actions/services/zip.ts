import { PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { ZipFile } from 'yazl';

/** A file of an archive; `open` is called when its turn comes. */
export interface ZipEntry {
  /** With `/` between folders; one that leaves the folder ends the archive with an error. */
  readonly name: string;
  /** Milliseconds since 1970 UTC. */
  readonly modifiedAt: number;
  /** Undefined: it is left out after all. */
  open(): Promise<Readable | undefined>;
}

/** The format has no times before 1970 and after 2106. */
const maxTime = 0xffff_ffff * 1000;
const timeOf = (milliseconds: number) => new Date(Math.min(Math.max(milliseconds, 0), maxTime));

type Entries = AsyncIterable<ZipEntry> | Iterable<ZipEntry>;

/** One file after the other, until nobody reads the archive any more. */
async function addEntries(zip: ZipFile, output: PassThrough, entries: Entries): Promise<void> {
  for await (const { name, modifiedAt, open } of entries) {
    const source = await open();
    if (!source) continue;
    const stop = () => source.destroy();
    output.once('close', stop);
    try {
      if (output.destroyed) return;
      zip.addReadStream(source, name, { mtime: timeOf(modifiedAt), mode: 0o100644 });
      await finished(source, { cleanup: true });
    } finally {
      output.off('close', stop);
      source.destroy();
    }
  }
  zip.end();
}

/** An archive that is made while it is read; only the names of its files are held. */
export function zipStream(entries: Entries): Readable {
  async function* archive(): AsyncGenerator<Buffer> {
    // loaded with the first archive, not at the start
    const { ZipFile } = await import('yazl');
    const zip = new ZipFile();
    const output = zip.outputStream as PassThrough;
    zip.on('error', (error: Error) => output.destroy(error));
    const adding = addEntries(zip, output, entries).catch((error: unknown) => void output.destroy(error as Error));
    try {
      yield* output as AsyncIterable<Buffer>;
    } finally {
      output.destroy();
      await adding;
    }
  }
  return Readable.from(archive(), { objectMode: false });
}
