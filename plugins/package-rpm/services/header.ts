import { BadRequest } from '@mortise/plugin-sdk';
import type { RandomAccess } from '@mortise/packages/api';

/** Tags that are read, by number. */
export const tags = {
  name: 1000,
  version: 1001,
  release: 1002,
  epoch: 1003,
  summary: 1004,
  description: 1005,
  buildTime: 1006,
  buildHost: 1007,
  size: 1009,
  vendor: 1011,
  license: 1014,
  packager: 1015,
  group: 1016,
  homepage: 1020,
  architecture: 1022,
  oldFileNames: 1027,
  fileModes: 1030,
  fileTimes: 1034,
  fileFlags: 1037,
  sourceRpm: 1044,
  changeTimes: 1080,
  changeNames: 1081,
  changeTexts: 1082,
  directoryIndexes: 1116,
  baseNames: 1117,
  directoryNames: 1118,
  longSize: 5009,
} as const;

/** Tags of names, flags and versions of what a package needs and gives. */
export const relations = {
  provides: [1047, 1112, 1113],
  requires: [1049, 1048, 1050],
  conflicts: [1054, 1053, 1055],
  obsoletes: [1090, 1114, 1115],
} as const;

const lengths: Readonly<Record<number, number>> = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8 };
const maxEntries = 65_536;
const maxStore = 32 * 1024 * 1024;
const maxValues = 500_000;
const leadLength = 96;

const broken = (what: string) => BadRequest(`The package cannot be read: ${what}.`);

interface HeaderEntry {
  readonly tag: number;
  readonly kind: number;
  readonly offset: number;
  readonly count: number;
}

/** One header of a package: an index of typed entries, and the store that they point to. */
export class RpmHeader {
  private readonly byTag: ReadonlyMap<number, HeaderEntry>;

  constructor(
    readonly entries: readonly HeaderEntry[],
    readonly store: Buffer,
    /** As they stand in the file. */
    readonly bytes: Buffer,
  ) {
    this.byTag = new Map(entries.map((entry) => [entry.tag, entry]));
  }

  texts(tag: number): readonly string[] {
    const entry = this.byTag.get(tag);
    if (!entry) return [];
    const { kind, count } = entry;
    if (kind !== 6 && kind !== 8 && kind !== 9) throw broken(`the tag ${tag} is no text`);
    if (count > maxValues) throw broken('a tag has too many values');
    const texts: string[] = [];
    let at = entry.offset;
    for (let n = 0; n < (kind === 6 ? 1 : count); n++) {
      const end = this.store.indexOf(0, at);
      if (end < 0) throw broken('a text does not end');
      texts.push(this.store.toString('utf8', at, end));
      at = end + 1;
    }
    return texts;
  }

  text(tag: number): string {
    return this.texts(tag)[0] ?? '';
  }

  numbers(tag: number): readonly number[] {
    const entry = this.byTag.get(tag);
    if (!entry) return [];
    const length = lengths[entry.kind];
    if (!length) throw broken(`the tag ${tag} is no number`);
    if (entry.count > maxValues) throw broken('a tag has too many values');
    return Array.from({ length: entry.count }, (_, n) => {
      const at = entry.offset + n * length;
      return length === 8 ? Number(this.store.readBigUInt64BE(at)) : this.store.readUIntBE(at, length);
    });
  }

  number(tag: number): number | undefined {
    return this.numbers(tag)[0];
  }
}

async function headerAt(source: RandomAccess, at: number): Promise<RpmHeader> {
  const intro = await source.read(at, 16);
  if (intro.length < 16 || intro.readUInt32BE(0) !== 0x8eade801) throw broken('a header is missing');
  const [count, size] = [intro.readUInt32BE(8), intro.readUInt32BE(12)];
  if (count > maxEntries || size > maxStore) throw broken('a header is too long');
  const length = 16 + count * 16 + size;
  if (at + length > source.size) throw broken('it ends too early');
  const bytes = await source.read(at, length);
  if (bytes.length < length) throw broken('it ends too early');
  const store = bytes.subarray(16 + count * 16);
  const entries = Array.from({ length: count }, (_, n): HeaderEntry => {
    const from = 16 + n * 16;
    const [tag, kind, offset, values] = [0, 4, 8, 12].map((more) => bytes.readUInt32BE(from + more)) as [
      number,
      number,
      number,
      number,
    ];
    const taken = kind >= 6 && kind !== 7 ? values : values * (lengths[kind] ?? 1);
    if (offset > size || offset + taken > size) throw broken('an entry points out of its header');
    return { tag, kind, offset, count: values };
  });
  return new RpmHeader(entries, store, bytes);
}

export interface RpmHeaders {
  readonly lead: Buffer;
  readonly signature: RpmHeader;
  readonly header: RpmHeader;
  /** Where the header begins in the file. */
  readonly headerStart: number;
}

/** Lead, signature and header; what they describe is not unpacked. */
export async function readHeaders(source: RandomAccess): Promise<RpmHeaders> {
  const lead = await source.read(0, leadLength);
  if (lead.length < leadLength || lead.readUInt32BE(0) !== 0xedabeedb) throw broken('it is no RPM');
  const signature = await headerAt(source, leadLength);
  const headerStart = leadLength + Math.ceil(signature.bytes.length / 8) * 8;
  return { lead, signature, header: await headerAt(source, headerStart), headerStart };
}

const regionTag = 62;
const rsaTag = 268;
/** Signatures of others, over the header or all of the file. */
const replaced = new Set([regionTag, 267, rsaTag, 278, 1002, 1005]);
const sizeOf = (entry: HeaderEntry, store: Buffer): number => {
  if (entry.kind === 7) return entry.count;
  const length = lengths[entry.kind];
  if (length) return entry.count * length;
  let at = entry.offset;
  for (let n = 0; n < (entry.kind === 6 ? 1 : entry.count); n++) at = store.indexOf(0, at) + 1 || store.length;
  return at - entry.offset;
};

/** What stands before the header once it is signed: the lead and a signature header, padded. */
export function signedFront({ lead, signature }: RpmHeaders, signed: Buffer): Buffer {
  const kept = signature.entries.filter((entry) => !replaced.has(entry.tag));
  const values = [
    ...kept.map((entry) => ({
      tag: entry.tag,
      kind: entry.kind,
      count: entry.count,
      bytes: signature.store.subarray(entry.offset, entry.offset + sizeOf(entry, signature.store)),
    })),
    { tag: rsaTag, kind: 7, count: signed.length, bytes: signed },
  ].sort((a, b) => a.tag - b.tag);
  const index: number[][] = [];
  const parts: Buffer[] = [];
  let at = 0;
  const add = (bytes: Buffer) => {
    parts.push(bytes);
    at += bytes.length;
  };
  for (const { tag, kind, count, bytes } of values) {
    const align = lengths[kind] ?? 1;
    add(Buffer.alloc((align - (at % align)) % align));
    index.push([tag, kind, at, count]);
    add(bytes);
  }
  // the region says that the entries before it belong together
  const words = (list: readonly number[]) => {
    const bytes = Buffer.alloc(list.length * 4);
    for (const [n, value] of list.entries()) bytes.writeUInt32BE(value >>> 0, n * 4);
    return bytes;
  };
  const entries = values.length + 1;
  index.unshift([regionTag, 7, at, 16]);
  add(words([regionTag, 7, -16 * entries, 16]));
  const header = Buffer.concat([words([0x8eade801, 0, entries, at, ...index.flat()]), ...parts]);
  return Buffer.concat([lead, header, Buffer.alloc((8 - (header.length % 8)) % 8)]);
}
