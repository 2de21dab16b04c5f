/** Zips of uploads, read by yauzl within limits. */
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Problem } from '@mortise/plugin-sdk';
import type { Entry, ZipFile } from 'yauzl';
import {
  broken,
  defaultLimits,
  tooLarge,
  tooMany,
  type ArchiveEntry,
  type ArchiveLimits,
  type RandomAccess,
} from './archives.js';

/** Bytes that are read at once where the library asks for a few. */
const pageBytes = 64 * 1024;
const maxDirectory = 32 * 1024 * 1024;
/** Entries of a directory that are read before others have their turn. */
const entriesPerTurn = 500;

interface OpenZip {
  readonly file: ZipFile;
  /** A fault of the storage, which is none of the archive. */
  readonly failure: { error?: Error };
}

async function openZip(source: RandomAccess): Promise<OpenZip> {
  // loaded with the first upload of a zip, not at the start
  const { default: yauzl } = await import('yauzl');
  const failure: OpenZip['failure'] = {};
  const read = async (start: number, length: number) => {
    try {
      return await source.read(start, length);
    } catch (error) {
      failure.error = error as Error;
      throw error;
    }
  };
  class StoredFile extends yauzl.RandomAccessReader {
    #start = 0;
    #page: Buffer = Buffer.alloc(0);

    async #bytes(position: number, length: number): Promise<Buffer> {
      if (position < this.#start || position + length > this.#start + this.#page.length) {
        this.#page = await read(position, Math.min(Math.max(length, pageBytes), Math.max(0, source.size - position)));
        this.#start = position;
      }
      const at = position - this.#start;
      const bytes = this.#page.subarray(at, at + length);
      if (bytes.length < length) throw new Error('it ends too early');
      return bytes;
    }

    override read(
      target: Buffer,
      offset: number,
      length: number,
      position: number,
      callback: (error: Error | null) => void,
    ): void {
      this.#bytes(position, length).then((bytes) => {
        bytes.copy(target, offset);
        callback(null);
      }, callback);
    }

    override _readStreamForRange(start: number, end: number): Readable {
      async function* content() {
        yield await read(start, end - start);
      }
      return Readable.from(content(), { objectMode: false });
    }
  }
  const options = { lazyEntries: true, autoClose: false, decodeStrings: false };
  try {
    return { file: await yauzl.fromRandomAccessReaderPromise(new StoredFile(), source.size, options), failure };
  } catch (error) {
    throw faultOf(error as Error, failure);
  }
}

const faultOf = (error: Error, { error: fault }: OpenZip['failure']): Error =>
  fault ?? (Problem.is(error) ? error : broken(error.message));

/** Entries of a zip, by its directory. Content is unpacked when it is asked for. */
export async function zipEntries(source: RandomAccess, limits: ArchiveLimits = {}): Promise<ArchiveEntry[]> {
  const { maxBytes, maxEntries } = { ...defaultLimits, ...limits };
  const zip = await openZip(source);
  if (zip.file.entryCount > maxEntries) throw tooMany();
  const entries: ArchiveEntry[] = [];
  let total = 0;
  let directory = 0;
  try {
    for await (const entry of zip.file.eachEntry()) {
      if (entries.length % entriesPerTurn === entriesPerTurn - 1) await nextTurn();
      total += entry.uncompressedSize;
      if (total > maxBytes) throw tooLarge();
      directory += entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
      if (directory > maxDirectory) throw broken('its directory is too large');
      entries.push(entryOf(zip, entry));
    }
  } catch (error) {
    throw faultOf(error as Error, zip.failure);
  }
  return entries;
}

const unix = 3;
const isLink = ({ versionMadeBy, externalFileAttributes }: Entry): boolean =>
  versionMadeBy >>> 8 === unix && ((externalFileAttributes >>> 16) & 0o170000) === 0o120000;

function entryOf({ file, failure }: OpenZip, entry: Entry): ArchiveEntry {
  const name = entry.fileNameRaw.toString('utf8');
  const { uncompressedSize: size, compressedSize: packed } = entry;
  return {
    name,
    size,
    kind: name.endsWith('/') ? 'folder' : isLink(entry) ? 'link' : 'file',
    content: async (max) => {
      if (size > max || packed > max) throw tooLarge();
      if (!entry.canDecodeFileData()) throw broken('an entry is packed in an unknown way');
      try {
        // the library refuses what is not of the size that the directory tells
        return await buffer(await file.openReadStreamPromise(entry));
      } catch (error) {
        throw faultOf(error as Error, failure);
      }
    },
  };
}
