import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Bytes unpacked at once: a block of four may stand for 128 KiB, and what they become has to fit into memory. */
const pieceBytes = 256;

async function* plain(path: string): AsyncGenerator<Buffer> {
  const { Decompress } = await import('fzstd');
  let unpacked: Buffer[] = [];
  const decompressor = new Decompress((data) => void unpacked.push(Buffer.from(data)));
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      decompressor.push(chunk.subarray(at, at + pieceBytes));
      yield* unpacked;
      unpacked = [];
    }
    await nextTurn();
  }
  decompressor.push(new Uint8Array(0), true);
  yield* unpacked;
}

/** The plain text of a file in the format zstd, of any number of frames. */
export const unpacked = (path: string): Readable => Readable.from(plain(path), { objectMode: false });
