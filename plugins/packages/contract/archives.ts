/**
 * Archives of uploads, read within limits: entries one after the other, each only as far as it is wanted. Whatever is
 * wrong with one is a BadRequest.
 */
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { BadRequest, Problem } from '@mortise/plugin-sdk';
import { DecompressionLimit } from './decompression-limit.js';

/** Bounds of what is read; beyond them the archive is refused. */
export interface ArchiveLimits {
  /** Bytes unpacked, default 1 GiB. */
  readonly maxBytes?: number;
  /** Entries, default 100 000. */
  readonly maxEntries?: number;
}

export interface ArchiveEntry {
  /** As written, with `/` between segments; may leave the folder: see {@link isPlainPath}. */
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly size: number;
  /** The bytes; refused when there are more than `max`. In a tar only before the next entry is asked for. */
  content(max: number): Promise<Buffer>;
}

export const defaultLimits = { maxBytes: 1024 ** 3, maxEntries: 100_000 };
const maxHeaderBytes = 1024 * 1024;

/** Does the path stay below the folder that an archive is unpacked to? */
export const isPlainPath = (path: string): boolean =>
  path !== '' && !/^[\\/]|^[A-Za-z]:|[\0\\]|(^|\/)\.\.(\/|$)/.test(path);

export const broken = (what: string) => BadRequest(`The archive cannot be read: ${what}.`);
export const tooLarge = () => BadRequest('The archive is too large when it is unpacked.');
export const tooMany = () => BadRequest('The archive has too many entries.');

/** Unpacks gzip on the way; what is none is refused. */
export function gunzip(source: Readable): Readable {
  const unpacked = createGunzip();
  const gate = new DecompressionLimit(() => unpacked.bytesWritten);
  return pipeline(source, unpacked, gate, () => undefined);
}

/** A stream, piece by piece as it is asked for. */
class Pieces {
  #rest: Buffer = Buffer.alloc(0);
  #taken = 0;
  readonly #chunks: AsyncIterator<Buffer>;

  constructor(
    source: AsyncIterable<Buffer>,
    private readonly maxBytes: number,
  ) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  async #more(): Promise<boolean> {
    let next: IteratorResult<Buffer>;
    try {
      next = await this.#chunks.next();
    } catch (error) {
      // such as that too many archives are being read
      throw Problem.is(error) ? error : broken((error as Error).message);
    }
    if (next.done) return false;
    this.#taken += next.value.length;
    if (this.#taken > this.maxBytes) throw tooLarge();
    this.#rest = this.#rest.length ? Buffer.concat([this.#rest, next.value]) : next.value;
    return true;
  }

  /** Exactly so many bytes; fewer only at the end. */
  async take(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let missing = count; missing > 0;) {
      if (this.#rest.length === 0 && !(await this.#more())) break;
      const part = this.#rest.subarray(0, missing);
      this.#rest = this.#rest.subarray(part.length);
      parts.push(part);
      missing -= part.length;
    }
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  async skip(count: number): Promise<void> {
    for (let missing = count; missing > 0;) {
      if (this.#rest.length === 0 && !(await this.#more())) throw broken('it ends too early');
      const length = Math.min(missing, this.#rest.length);
      this.#rest = this.#rest.subarray(length);
      missing -= length;
    }
  }

  async close(): Promise<void> {
    await this.#chunks.return?.().catch(() => undefined);
  }
}

const block = 512;
const padded = (size: number) => Math.ceil(size / block) * block;
const textOf = (header: Buffer, at: number, length: number) =>
  header
    .subarray(at, at + length)
    .toString('utf8')
    .replace(/\0.*$/s, '');

function numberOf(header: Buffer, at: number, length: number): number {
  // large numbers are written in base 256
  if (header[at]! & 0x80) return Number(header.readBigUInt64BE(at + length - 8));
  const text = textOf(header, at, length).trim();
  if (text !== '' && !/^[0-7]+$/.test(text)) throw broken('a header is damaged');
  return parseInt(text || '0', 8);
}

function checkSum(header: Buffer): void {
  let sum = 8 * 32;
  for (let at = 0; at < block; at++) if (at < 148 || at >= 156) sum += header[at]!;
  if (sum !== numberOf(header, 148, 8)) throw broken('it is no tar, or damaged');
}

const kinds: Readonly<Record<string, ArchiveEntry['kind']>> = {
  '0': 'file',
  '7': 'file',
  '5': 'folder',
  '1': 'link',
  '2': 'link',
};

/** Entries of a tar (ustar, pax, GNU names). Breaking off the loop closes the source. */
export async function* tarEntries(source: Readable, limits: ArchiveLimits = {}): AsyncGenerator<ArchiveEntry> {
  const { maxBytes, maxEntries } = { ...defaultLimits, ...limits };
  const pieces = new Pieces(source, maxBytes);
  let entries = 0;
  let zeros = 0;
  let longName: string | undefined;
  try {
    for (;;) {
      const header = await pieces.take(block);
      if (header.length === 0 && (entries > 0 || zeros > 0)) return;
      if (header.length < block) throw broken('it ends too early');
      if (header.every((byte) => byte === 0)) {
        if (++zeros === 2) return;
        continue;
      }
      zeros = 0;
      if (++entries > maxEntries) throw tooMany();
      checkSum(header);
      const size = numberOf(header, 124, 12);
      const type = textOf(header, 156, 1) || '0';
      if (type === 'x' || type === 'g' || type === 'L' || type === 'K') {
        if (size > maxHeaderBytes) throw broken('a header is too long');
        const extra = (await pieces.take(padded(size))).subarray(0, size).toString('utf8');
        if (type === 'x') longName = /(?:^|\n)\d+ path=([^\n]*)\n/.exec(extra)?.[1] ?? longName;
        if (type === 'L') longName = extra.replace(/\0.*$/s, '');
        continue;
      }
      const prefix = header.toString('latin1', 257, 262) === 'ustar' ? textOf(header, 345, 155) : '';
      const name = longName ?? (prefix ? `${prefix}/` : '') + textOf(header, 0, 100);
      longName = undefined;
      let left = padded(size);
      yield {
        name,
        size,
        kind: name.endsWith('/') ? 'folder' : (kinds[type] ?? 'other'),
        content: async (max) => {
          if (size > max) throw tooLarge();
          const bytes = await pieces.take(left);
          if (bytes.length < left) throw broken('it ends too early');
          left = 0;
          return Buffer.from(bytes.subarray(0, size));
        },
      };
      await pieces.skip(left);
    }
  } finally {
    await pieces.close();
    source.destroy();
  }
}

/** Bytes that can be read from anywhere, such as a stored file. */
export interface RandomAccess {
  readonly size: number;
  read(start: number, length: number): Promise<Buffer>;
}

/** A member of an ar archive, by its place. */
export interface ArMember {
  readonly name: string;
  readonly start: number;
  readonly size: number;
}

const arSign = '!<arch>\n';
const headBytes = 60;
const maxMembers = 64;

/** The members of an ar archive, as Debian uses it: names of at most 16 bytes. */
export async function arMembers(source: RandomAccess): Promise<readonly ArMember[]> {
  const start = source.size < arSign.length ? '' : (await source.read(0, arSign.length)).toString('latin1');
  if (start !== arSign) throw broken('it is no ar, or damaged');
  const members: ArMember[] = [];
  for (let at = arSign.length; at < source.size;) {
    if (members.length === maxMembers) throw tooMany();
    const head = at + headBytes <= source.size ? (await source.read(at, headBytes)).toString('latin1') : '';
    const size = head.slice(48, 58).trim();
    if (!head.endsWith('`\n') || !/^\d{1,10}$/.test(size)) throw broken('a header is damaged');
    const member = { name: head.slice(0, 16).trimEnd().replace(/\/$/, ''), start: at + headBytes, size: Number(size) };
    if (member.start + member.size > source.size) throw broken('it ends too early');
    members.push(member);
    at = member.start + member.size + (member.size % 2);
  }
  return members;
}
