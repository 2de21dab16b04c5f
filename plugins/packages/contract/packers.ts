/** How the pieces of an index are packed, so that they are joined as they are. */
import { promisify } from 'node:util';
import { constants, deflateRaw } from 'node:zlib';
import { joinCrc32 } from './crc32.js';

/**
 * How pieces are joined: gzip as pieces of one member, each flushed, which every reader takes for what one packer made; xz as
 * blocks of one stream.
 */
export type ChunkPacking = 'none' | 'gzip' | 'xz';

/** What is remembered of a piece that is packed. */
export interface PackedChunk {
  /** Bytes of the text. */
  readonly raw: number;
  /** CRC32 of the text. */
  readonly crc: number;
  /** Bytes in the file; of a block of xz without its padding. */
  readonly packed: number;
}

interface Packer {
  readonly start: () => Promise<Buffer>;
  /** The packed text, and the size to remember of it. */
  pack(text: Buffer): Promise<{ readonly bytes: Buffer; readonly size: number }>;
  /** What a piece of such a size takes in the file. */
  lengthOf(size: number): number;
  /** What follows the pieces. */
  finish(pieces: readonly PackedChunk[]): Promise<Buffer>;
}

const none = Buffer.alloc(0);
const nothing = () => Promise.resolve(none);
const deflate = promisify(
  deflateRaw as (text: Buffer, options: object, done: (error: Error | null, bytes: Buffer) => void) => void,
);
/** Deflate, no name, no time, of Unix. */
const gzipHead = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
/** A last block without content. */
const lastBlock = Buffer.from([3, 0]);
/** Loaded with the first index, not at the start. */
const xz = () => import('./xz.js');

export const packers: Readonly<Record<ChunkPacking, Packer>> = {
  none: {
    start: nothing,
    pack: (text) => Promise.resolve({ bytes: text, size: text.length }),
    lengthOf: (size) => size,
    finish: nothing,
  },
  gzip: {
    start: () => Promise.resolve(gzipHead),
    // ends at a whole byte, and nothing behind it refers to it
    pack: async (text) => {
      const bytes = await deflate(text, { finishFlush: constants.Z_FULL_FLUSH });
      return { bytes, size: bytes.length };
    },
    lengthOf: (size) => size,
    finish: (pieces) => {
      const sums = Buffer.alloc(8);
      sums.writeUInt32LE(pieces.reduce((sum, { crc, raw }) => joinCrc32(sum, crc, raw), 0));
      sums.writeUInt32LE(pieces.reduce((sum, { raw }) => sum + raw, 0) % 2 ** 32, 4);
      return Promise.resolve(Buffer.concat([lastBlock, sums]));
    },
  },
  xz: {
    start: async () => (await xz()).xzHead,
    pack: async (text) => {
      const { encodeXzBlock, padXzBlock } = await xz();
      const block = await encodeXzBlock(text);
      return { bytes: padXzBlock(block), size: block.length };
    },
    lengthOf: (size) => Math.ceil(size / 4) * 4,
    finish: async (pieces) => (await xz()).xzEnd(pieces),
  },
};
