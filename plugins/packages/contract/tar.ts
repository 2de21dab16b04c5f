/** Tars of uploads, read by tar-stream within limits, and those of indexes. */
import { pipeline, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Problem } from '@mortise/plugin-sdk';
import type { Extract, Header } from 'tar-stream';
import { broken, defaultLimits, tooLarge, tooMany, type ArchiveEntry, type ArchiveLimits } from './archives.js';

/** Loaded with the first tar, not at the start. */
const library = async () => (await import('tar-stream')).default;

type Entry = Extract extends AsyncIterable<infer One> ? One : never;

const kinds: Partial<Record<Header['type'], ArchiveEntry['kind']>> = {
  file: 'file',
  'contiguous-file': 'file',
  directory: 'folder',
  link: 'link',
  symlink: 'link',
};

/** Headers from before ustar too, which the types of the library do not tell. */
const extractOptions = { allowUnknownFormat: true, highWaterMark: 64 * 1024 };

/** How long the library may do nothing with what it was given: of a size that is no number it waits for more for ever. */
const maxStallMs = 5_000;

/** Since when the library has had what there was; undefined: it waits for the source, or its entry is being read. */
interface Progress {
  givenAt?: number;
}

/** Not more than `maxBytes`, whatever they are: headers of any kind count too. */
async function* bounded(source: Readable, maxBytes: number, progress: Progress): AsyncGenerator<Buffer> {
  let taken = 0;
  for await (const piece of source as AsyncIterable<Buffer>) {
    taken += piece.length;
    if (taken > maxBytes) throw tooLarge();
    progress.givenAt = Date.now();
    yield piece;
    progress.givenAt = undefined;
  }
  progress.givenAt = Date.now();
}

const faultOf = (error: Error): Error => (Problem.is(error) ? error : broken(error.message));

function entryOf(entry: Entry): ArchiveEntry {
  const { name, type, size } = entry.header;
  return {
    name,
    size,
    kind: name.endsWith('/') ? 'folder' : (kinds[type] ?? 'other'),
    content: async (max) => {
      if (size > max) throw tooLarge();
      return buffer(entry).catch((error: unknown) => Promise.reject(faultOf(error as Error)));
    },
  };
}

/** Entries of a tar (ustar, pax, GNU names). Breaking off the loop closes the source. */
export async function* tarEntries(source: Readable, limits: ArchiveLimits = {}): AsyncGenerator<ArchiveEntry> {
  const { maxBytes, maxEntries } = { ...defaultLimits, ...limits };
  const { extract } = await library();
  const tar = extract(extractOptions);
  // what goes wrong ends the tar, and so the loop
  const progress: Progress = {};
  pipeline(Readable.from(bounded(source, maxBytes, progress), { objectMode: false }), tar, () => undefined);
  let isRead = false;
  const watch = setInterval(() => {
    if (!isRead && progress.givenAt !== undefined && Date.now() - progress.givenAt > maxStallMs)
      tar.destroy(broken('a header cannot be read'));
  }, 1_000);
  let entries = 0;
  try {
    for await (const entry of tar) {
      if (++entries > maxEntries) throw tooMany();
      if (!Number.isSafeInteger(entry.header.size)) throw broken('the size of an entry is no number');
      isRead = true;
      yield entryOf(entry);
      isRead = false;
      if (progress.givenAt !== undefined) progress.givenAt = Date.now();
      entry.resume();
    }
  } catch (error) {
    throw faultOf(error as Error);
  } finally {
    clearInterval(watch);
    tar.destroy();
    source.destroy();
  }
}

/** An entry of a tar that is made here. */
interface TarEntry {
  readonly name: string;
  readonly content: Buffer | string;
  /** Default 0644. */
  readonly mode?: number;
}

const block = 512;
const endBytes = 2 * block;
/** The same bytes for the same entries. */
const noTime = new Date(0);

/**
 * A tar with these entries, the same bytes for the same entries. `end: false` leaves the closing blocks out, for those that
 * are concatenated.
 */
export async function tarOf(
  entries: readonly TarEntry[],
  { end = true }: { readonly end?: boolean } = {},
): Promise<Buffer> {
  const tar = (await library()).pack();
  for (const { name, content, mode = 0o644 } of entries)
    tar.entry({ name, mode, mtime: noTime }, Buffer.from(content as string));
  tar.finalize();
  const bytes = await buffer(tar);
  return end ? bytes : bytes.subarray(0, -endBytes);
}

/** What stands before and behind the content of the only entry of a tar, which streams. */
export async function tarFrame(name: string, size: number): Promise<{ readonly head: Buffer; readonly end: Buffer }> {
  const tar = (await library()).pack();
  tar.entry({ name, size, mode: 0o644, mtime: noTime });
  const end = Buffer.alloc(((block - (size % block)) % block) + endBytes);
  for await (const head of tar) return { head: head as Buffer, end };
  throw new Error(`no header for "${name}"`);
}
