/** Archives for the tests of formats, good ones and such that are made to do harm; and the clients of formats. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { encodeXzBlock, padXzBlock, xzEnd, xzHead } from './contract/xz.js';
import { packBzip2 } from './contract/pack.js';

/** A client from a registry of its language, where the services of the tests put it; undefined: it is not there. */
export function installedClient(folder: 'python' | 'node' | 'conan', ...path: readonly string[]): string | undefined {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const program = join(cache, `mortise-test-${folder}`, ...path);
  return existsSync(program) ? program : undefined;
}

export interface TarFile {
  readonly name: string;
  readonly data?: string | Buffer;
  /** As tar writes it: `0` file, `2` link, `5` folder, `x` header. */
  readonly type?: string;
  /** Size that the header tells, where it is not that of the data. */
  readonly size?: number;
}

/** What a zip keeps of a file. */
interface Packed {
  readonly packed: Buffer;
  readonly crc: number;
}
type ZipFile = TarFile & { readonly made?: Packed };

type Files = Readonly<Record<string, string | Buffer>> | readonly TarFile[];

const listOf = (files: Files): readonly TarFile[] =>
  Array.isArray(files)
    ? (files as TarFile[])
    : Object.entries(files).map(([name, data]) => ({ name, data: data as string }));

function header({ name, type = '0', size = 0 }: TarFile): Buffer {
  const block = Buffer.alloc(512);
  block.write(name.slice(0, 100), 0);
  block.write('0000644\0', 100);
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  block.write('00000000000\0', 136);
  block.write('        ', 148);
  block.write(type, 156);
  if (type === '2') block.write('/etc/passwd', 157);
  block.write('ustar\x0000', 257);
  let sum = 0;
  for (let at = 0; at < 512; at++) sum += block[at]!;
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

export function tar(files: Files): Buffer {
  const parts: Buffer[] = [];
  for (const file of listOf(files)) {
    const data = Buffer.from((file.data ?? '') as string);
    parts.push(
      header({ ...file, size: file.size ?? data.length }),
      data,
      Buffer.alloc((512 - (data.length % 512)) % 512),
    );
  }
  return Buffer.concat([...parts, Buffer.alloc(1024)]);
}

export const tgz = (files: Files): Buffer => gzipSync(tar(files), { level: 1 });

const pack = (bytes: Buffer): Packed => ({ packed: deflateRawSync(bytes), crc: crc32(bytes) });

export function zip(files: Files | readonly ZipFile[], more: { readonly count?: number } = {}): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let at = 0;
  const list: readonly ZipFile[] = listOf(files);
  for (const { name, data = '', size, made } of list) {
    const bytes = Buffer.from(data as string);
    const { packed, crc } = made ?? pack(bytes);
    const fixed = Buffer.alloc(26);
    fixed.writeUInt16LE(20, 0);
    fixed.writeUInt16LE(8, 4);
    fixed.writeUInt32LE(crc, 10);
    fixed.writeUInt32LE(packed.length, 14);
    fixed.writeUInt32LE(size ?? bytes.length, 18);
    fixed.writeUInt16LE(Buffer.byteLength(name), 22);
    local.push(Buffer.from('PK\x03\x04', 'latin1'), fixed, Buffer.from(name), packed);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(at, 10);
    central.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), fixed, tail, Buffer.from(name));
    at += 30 + Buffer.byteLength(name) + packed.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(more.count ?? list.length, 8);
  end.writeUInt16LE(more.count ?? list.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...local, directory, end]);
}

/** Created on first use and cached: many formats are tested in one process. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

const zippedZeros = once(() => gzipSync(Buffer.alloc(16 * 1024 * 1024)));
const endlessHeaders = once(() => gzipSync(Buffer.alloc(150_000 * 512, header({ name: 'a' }))));

/** Gzip that unpacks to `before` and so many megabytes of zeros, in a few kilobytes. */
const bomb = (before: Buffer, megabytes: number): Buffer =>
  Buffer.concat([gzipSync(before), ...Array.from({ length: Math.ceil(megabytes / 16) }, zippedZeros)]);

// One megabyte is packed and repeated.
const megabyte = 1024 * 1024;

/** The same as .bz2. */
export const bzip2Bomb = async (before: Buffer, megabytes: number): Promise<Buffer> =>
  Buffer.concat([await packBzip2(before), await repeatedBzip2(Buffer.alloc(megabyte), megabytes)]);

/** What bzip2(1) makes of a tar with one file, half a gigabyte of zeros: less than five hundred bytes. */
export const smallBzip2Bomb = (): Buffer =>
  Buffer.from(
    'QlpoOTFBWSZTWdad0UsFfjxbgMiAQAH9gAQAcKWeAAAIIAB0EUkNEaepo9NTE9BFU0YgNAAOJx+BQBVUSwVQBVUTDGcrYQiqgCqokOfOFrY5' +
      'CaQFZhtWWJh9kTpWJTiD/xvvztb9PrLq970RQBVUTsxQVkmU1kOCeLfAV+OQADAAAAIIAAwgE1GQqAlqQqAlzFBWSZTWQ4J4t8BX45AAMAAA' +
      'AggADCATUZCoCWpCoCXMUFZJlNZDgni3wFfjkAAwAAACCAAMIBNRkKgJakKgJcxQVkmU1kOCeLfAV+OQADAAAAIIAAwgE1GQqAlqQqAlzFBW' +
      'SZTWQ4J4t8BX45AAMAAAAggADCATUZCoCWpCoCXMUFZJlNZDgni3wFfjkAAwAAACCAAMIBNRkKgJakKgJcxQVkmU1kOCeLfAV+OQADAAAAII' +
      'AAwgE1GQqAlqQqAlzFBWSZTWQ4J4t8BX45AAMAAAAggADCATUZCoCWpCoCXMUFZJlNZDgni3wFfjkAAwAAACCAAMIBNRkKgJakKgJcxQVkmU' +
      '1kngo3/AKDvwAHAAAIAAAggADDMBSmmqpUCbAKoE8XckU4UJC5sDXYA=',
    'base64',
  );

/** A .bz2 that unpacks to the same so many times. */
export async function repeatedBzip2(content: Buffer, times: number): Promise<Buffer> {
  const piece = await packBzip2(content);
  return Buffer.concat(Array.from({ length: times }, () => piece));
}

/** An .xz of blocks of these. */
async function xzOf(contents: readonly Buffer[]): Promise<Buffer> {
  const packed = new Map<Buffer, Buffer>();
  for (const content of contents) if (!packed.has(content)) packed.set(content, await encodeXzBlock(content));
  const blocks = contents.map((content) => ({ packed: packed.get(content)!, raw: content.length }));
  return Buffer.concat([
    xzHead,
    ...blocks.map(({ packed }) => padXzBlock(packed)),
    xzEnd(blocks.map(({ packed, raw }) => ({ packed: packed.length, raw }))),
  ]);
}

export const packXz = (content: Buffer): Promise<Buffer> => xzOf([content]);

/** The same as .xz. */
export function xzBomb(before: Buffer, megabytes: number): Promise<Buffer> {
  const zeros = Buffer.alloc(megabyte);
  return xzOf([before, ...Array.from({ length: megabytes }, () => zeros)]);
}

/** Gzipped tars with a path for the file that a format looks for: bombs, headers without end, paths and links that leave. */
export const hostileTarballs = (wanted: string): readonly Buffer[] => [
  bomb(header({ name: wanted, size: 2 ** 31 }), 2048),
  bomb(header({ name: 'x', type: 'x', size: 2 ** 31 }), 2048),
  endlessHeaders(),
  gzipSync(Buffer.concat([header({ name: wanted, size: 8_000_000_000 }), Buffer.from('short')])),
];

const packedZeros = once(() => pack(Buffer.alloc(48 * 1024 * 1024)));

/** The same of zips. */
export const hostileZips = (wanted: string): readonly Buffer[] => [
  zip([{ name: wanted, made: packedZeros(), size: 10 }]),
  zip([{ name: wanted, data: 'x', size: 4_000_000_000 }]),
  zip({ [wanted]: 'x' }, { count: 60_000 }),
];

/** An ar archive, as Debian packages are. */
export function ar(files: Files): Buffer {
  const parts: Buffer[] = [Buffer.from('!<arch>\n')];
  for (const { name, data = '', size } of listOf(files)) {
    const bytes = Buffer.from(data as string);
    const told = String(size ?? bytes.length).padEnd(10);
    parts.push(Buffer.from(`${name.padEnd(16)}${'0'.padEnd(24)}${'100644'.padEnd(8)}${told}\`\n`), bytes);
    if (bytes.length % 2) parts.push(Buffer.from('\n'));
  }
  return Buffer.concat(parts);
}

const zstdHead = (window: number) => Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, window]);
const zstdBlock = (type: number, size: number, last: boolean) => {
  const head = Buffer.alloc(3);
  head.writeUIntLE(size * 8 + type * 2 + (last ? 1 : 0), 0, 3);
  return head;
};

/** A frame of zstd that keeps its bytes as they are. */
export function zstd(data: Buffer): Buffer {
  const parts: Buffer[] = [zstdHead(13 << 3)];
  for (let at = 0; at === 0 || at < data.length; at += 100_000) {
    const part = data.subarray(at, at + 100_000);
    parts.push(zstdBlock(0, part.length, at + 100_000 >= data.length), part);
  }
  return Buffer.concat(parts);
}

/** Zstd made to do harm: a bomb behind these bytes, a window beyond all memory, blocks without end that hold nothing. */
export function hostileZstd(before: Buffer): readonly Buffer[] {
  const zeros = Buffer.concat([zstdBlock(1, 131_072, false), Buffer.alloc(1)]);
  const none = zstdBlock(0, 0, false);
  return [
    Buffer.concat([zstdHead(13 << 3), zstdBlock(0, before.length, false), before, ...Array(40_000).fill(zeros)]),
    Buffer.concat([zstdHead(31 << 3), zstdBlock(0, before.length, true), before]),
    Buffer.concat([zstdHead(17 << 3), ...Array(400_000).fill(none)]),
  ];
}

/** Head of a tar entry that tells a size which does not follow. */
export const tarHead = (name: string, size: number): Buffer => header({ name, size });

export { FakeUpstream, type UpstreamReply } from './test/fake-upstream.js';
