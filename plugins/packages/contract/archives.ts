/** What archives of uploads have in common: limits, entries, faults, each of which is a BadRequest. And ar archives. */
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { BadRequest } from '@mortise/plugin-sdk';
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

/** Bytes that can be read from anywhere, such as a stored file. */
export interface RandomAccess {
  readonly size: number;
  read(start: number, length: number): Promise<Buffer>;
}

/** A member of an ar archive, by its place. */
interface ArMember {
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
