/** The frame of an .xz (xz file format 1.1.0) around blocks that liblzma packs, so that blocks can be joined as they are. */
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';

/** 1 MiB, as the head of a block has it; packing takes about ten times as much memory. */
const dictionaryBits = 16;
const dictionaryBytes = 1024 * 1024;

function checksum(data: Uint8Array): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(crc32(data));
  return bytes;
}

const padding = (length: number) => Buffer.alloc((4 - (length % 4)) % 4);
const withChecksum = (bytes: Buffer) => Buffer.concat([bytes, checksum(bytes)]);

function variable(value: number): Buffer {
  const bytes: number[] = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return Buffer.from([...bytes, value]);
}

/** A block of an .xz: its bytes with and without packing. */
export interface XzBlock {
  /** Without its padding. */
  readonly packed: number;
  readonly raw: number;
}

const checkBytes = 4;
const flags = Buffer.from([0, 1]);
const blockHead = withChecksum(Buffer.from([2, 0, 0x21, 1, dictionaryBits, 0, 0, 0]));

/** What an .xz of blocks that are checked by CRC32 begins with. */
export const xzHead = Buffer.concat([Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]), withChecksum(flags)]);

/** One block, without its padding; packed by the thread pool. */
export async function encodeXzBlock(data: Buffer): Promise<Buffer> {
  // loaded with the first index, not at the start
  const { createStream, FILTER_LZMA2, MF_BT4, MODE_NORMAL } = (await import('lzma-native')).default;
  const options = { dictSize: dictionaryBytes, mode: MODE_NORMAL, mf: MF_BT4 };
  const encoder = createStream('rawEncoder', { filters: [{ id: FILTER_LZMA2, options }] });
  encoder.end(data);
  return Buffer.concat([blockHead, await buffer(encoder), checksum(data)]);
}

/** A block as it stands in an .xz. */
export function padXzBlock(block: Buffer): Buffer {
  const check = block.length - checkBytes;
  return Buffer.concat([block.subarray(0, check), padding(block.length), block.subarray(check)]);
}

/** What follows the blocks of an .xz. */
export function xzEnd(blocks: readonly XzBlock[]): Buffer {
  const records = blocks.flatMap(({ packed, raw }) => [variable(packed), variable(raw)]);
  const index = Buffer.concat([Buffer.alloc(1), variable(blocks.length), ...records]);
  const indexEnd = Buffer.concat([index, padding(index.length)]);
  const back = Buffer.alloc(4);
  back.writeUInt32LE((indexEnd.length + 4) / 4 - 1);
  const tail = Buffer.concat([back, flags]);
  return Buffer.concat([withChecksum(indexEnd), checksum(tail), tail, Buffer.from('YZ')]);
}
