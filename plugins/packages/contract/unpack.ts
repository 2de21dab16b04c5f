/**
 * Packings of archives. Those that the runtime does not know are unpacked in a thread of their own, a few at once, piece by
 * piece as the reader asks for them.
 */
import { Readable } from 'node:stream';
import { BadRequest } from '@mortise/plugin-sdk';
import { gunzip } from './archives.js';
import { checkDecompressedSize, alwaysAllowedBytes } from './decompression-limit.js';
import type { UnpackWork } from './threads.js';
import { currentUploader } from './uploader.js';

export type Packing = 'gzip' | 'xz' | 'zstd' | 'bzip2';

const signs: readonly (readonly [Packing, readonly number[]])[] = [
  ['gzip', [0x1f, 0x8b]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['bzip2', [0x42, 0x5a, 0x68]],
];

/** By the first bytes, of which six are enough; undefined: none of these. */
export const packingOf = (start: Uint8Array): Packing | undefined =>
  signs.find(([, sign]) => sign.every((byte, at) => start[at] === byte))?.[0];

const defaultMaxBytes = 1024 ** 3;
/** Of one archive in a thread; half a gigabyte takes about so long in the slowest packing. */
const maxWorkMs = 45_000;

async function* inThread(source: Readable, work: UnpackWork, visitor: string): AsyncGenerator<Buffer> {
  const { giveBack, takeThread } = await import('./threads.js');
  const thread = await takeThread(visitor);
  const sizes = { packed: 0, unpacked: 0 };
  let workedMs = 0;
  try {
    thread.begin({ kind: 'unpack', ...work });
    const packed = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    for (;;) {
      const begun = performance.now();
      const message = await thread.hear();
      workedMs += performance.now() - begun;
      if (workedMs > maxWorkMs) throw new Error('it takes too long to unpack');
      if (message.kind === 'more') {
        const { done, value } = await packed.next();
        if (!done) sizes.packed += value.length;
        thread.say({ kind: 'bytes', bytes: done ? undefined : new Uint8Array(value) });
      } else if (message.kind === 'piece') {
        const { buffer, byteOffset, length } = message.bytes;
        sizes.unpacked += length;
        checkDecompressedSize(sizes.packed, sizes.unpacked, alwaysAllowedBytes.thread);
        thread.say({ kind: 'taken' });
        yield Buffer.from(buffer, byteOffset, length);
      } else if (message.kind === 'end') return;
      else throw new Error(message.what);
    }
  } finally {
    source.destroy();
    await giveBack(thread);
  }
}

/** Unpacks on the way. What is broken, or gives more than `maxBytes` (default 1 GiB), ends the stream with an error. */
export function unpack(source: Readable, packing: Packing, maxBytes = defaultMaxBytes): Readable {
  if (packing === 'gzip') return gunzip(source);
  return Readable.from(inThread(source, { packing, maxBytes }, currentUploader()), { objectMode: false });
}

/** Looks at how it is packed, and tells it; what is not packed in one of these ways is refused. */
export async function unpackAny(
  open: (range?: { start: number; end?: number }) => Promise<Readable>,
  packings: readonly Packing[],
  maxBytes = defaultMaxBytes,
  onFound?: (packing: Packing) => void,
): Promise<Readable> {
  const start: Buffer[] = [];
  for await (const piece of await open({ start: 0, end: 5 })) start.push(piece as Buffer);
  const packing = packingOf(Buffer.concat(start));
  if (!packing || !packings.includes(packing)) throw BadRequest('unsupported package container format');
  onFound?.(packing);
  return unpack(await open(), packing, maxBytes);
}
