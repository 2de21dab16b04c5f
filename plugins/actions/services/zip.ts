import { Readable } from 'node:stream';
import { createDeflateRaw, crc32 } from 'node:zlib';

/** A file of an archive; `open` is called when its turn comes. */
export interface ZipEntry {
  /** With `/` between folders; says nothing of drives or parents. */
  readonly name: string;
  /** Milliseconds since 1970 UTC. */
  readonly modifiedAt: number;
  /** Undefined: it is left out after all. */
  open(): Promise<Readable | undefined>;
}

interface Written {
  readonly name: Buffer;
  readonly stamp: number;
  readonly offset: number;
  crc: number;
  size: number;
  packed: number;
}

const max32 = 0xffff_ffff;
/** Names are UTF-8; sizes follow the content. */
const flags = 0x0808;
const deflate = 8;
/** Version of the format that knows sizes beyond 4 GiB. */
const version = 45;

/** Date in the upper half, time in the lower, as the format has it: from 1980 on, in steps of two seconds. */
function stampOf(milliseconds: number): number {
  const at = new Date(Math.min(Math.max(milliseconds, Date.UTC(1980, 0, 1)), Date.UTC(2107, 11, 31)));
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  return ((date << 16) | time) >>> 0;
}

function localHeader({ name, stamp }: Written): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(version, 4);
  header.writeUInt16LE(flags, 6);
  header.writeUInt16LE(deflate, 8);
  header.writeUInt32LE(stamp, 10);
  header.writeUInt16LE(name.length, 26);
  return Buffer.concat([header, name]);
}

function descriptor({ crc, size, packed }: Written): Buffer {
  const isLarge = size > max32 || packed > max32;
  const bytes = Buffer.alloc(isLarge ? 24 : 16);
  bytes.writeUInt32LE(0x08074b50, 0);
  bytes.writeUInt32LE(crc, 4);
  if (isLarge) {
    bytes.writeBigUInt64LE(BigInt(packed), 8);
    bytes.writeBigUInt64LE(BigInt(size), 16);
  } else {
    bytes.writeUInt32LE(packed, 8);
    bytes.writeUInt32LE(size, 12);
  }
  return bytes;
}

function centralHeader({ name, stamp, offset, crc, size, packed }: Written): Buffer {
  const large = [size, packed, offset].filter((value) => value >= max32);
  const extra = Buffer.alloc(large.length > 0 ? 4 + large.length * 8 : 0);
  if (large.length > 0) {
    extra.writeUInt16LE(1, 0);
    extra.writeUInt16LE(large.length * 8, 2);
    large.forEach((value, at) => extra.writeBigUInt64LE(BigInt(value), 4 + at * 8));
  }
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(version, 4);
  header.writeUInt16LE(version, 6);
  header.writeUInt16LE(flags, 8);
  header.writeUInt16LE(deflate, 10);
  header.writeUInt32LE(stamp, 12);
  header.writeUInt32LE(crc, 16);
  header.writeUInt32LE(Math.min(packed, max32), 20);
  header.writeUInt32LE(Math.min(size, max32), 24);
  header.writeUInt16LE(name.length, 28);
  header.writeUInt16LE(extra.length, 30);
  header.writeUInt32LE(Math.min(offset, max32), 42);
  return Buffer.concat([header, name, extra]);
}

function ending(count: number, start: number, size: number): Buffer {
  const parts: Buffer[] = [];
  if (start >= max32 || size >= max32 || count >= 0xffff) {
    const record = Buffer.alloc(56);
    record.writeUInt32LE(0x06064b50, 0);
    record.writeBigUInt64LE(44n, 4);
    record.writeUInt16LE(version, 12);
    record.writeUInt16LE(version, 14);
    record.writeBigUInt64LE(BigInt(count), 24);
    record.writeBigUInt64LE(BigInt(count), 32);
    record.writeBigUInt64LE(BigInt(size), 40);
    record.writeBigUInt64LE(BigInt(start), 48);
    const locator = Buffer.alloc(20);
    locator.writeUInt32LE(0x07064b50, 0);
    locator.writeBigUInt64LE(BigInt(start + size), 8);
    locator.writeUInt32LE(1, 16);
    parts.push(record, locator);
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(count, 0xffff), 8);
  end.writeUInt16LE(Math.min(count, 0xffff), 10);
  end.writeUInt32LE(Math.min(size, max32), 12);
  end.writeUInt32LE(Math.min(start, max32), 16);
  return Buffer.concat([...parts, end]);
}

/** One file, packed by the thread pool as it is read. */
async function* content(source: Readable, entry: Written): AsyncGenerator<Buffer> {
  const packer = createDeflateRaw();
  source.on('data', (chunk: Buffer) => {
    entry.crc = crc32(chunk, entry.crc);
    entry.size += chunk.length;
  });
  source.on('error', (error) => packer.destroy(error));
  source.pipe(packer);
  try {
    for await (const chunk of packer as AsyncIterable<Buffer>) {
      entry.packed += chunk.length;
      yield chunk;
    }
  } finally {
    source.destroy();
    packer.destroy();
  }
}

/** An archive (PKWARE APPNOTE 6.3) that is made while it is read; only the names of its files are held. */
export function zipStream(entries: AsyncIterable<ZipEntry> | Iterable<ZipEntry>): Readable {
  async function* all(): AsyncGenerator<Buffer> {
    const written: Written[] = [];
    let offset = 0;
    for await (const { name, modifiedAt, open } of entries) {
      const source = await open();
      if (!source) continue;
      const entry = { name: Buffer.from(name), stamp: stampOf(modifiedAt), offset, crc: 0, size: 0, packed: 0 };
      const header = localHeader(entry);
      yield header;
      yield* content(source, entry);
      const trailer = descriptor(entry);
      yield trailer;
      offset += header.length + entry.packed + trailer.length;
      written.push(entry);
    }
    let size = 0;
    for (const entry of written) {
      const header = centralHeader(entry);
      size += header.length;
      yield header;
    }
    yield ending(written.length, offset, size);
  }
  return Readable.from(all(), { objectMode: false });
}
