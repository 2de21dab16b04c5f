import { Transform, type TransformCallback } from 'node:stream';

/** Allowed for small archives whatever their ratio: repetitive content, such as zeros, compresses well. */
export const alwaysAllowedBytes = { gzip: 64 * 1024 * 1024, thread: 16 * 1024 * 1024 } as const;
/** Larger ones so many times: text seldom grows more than thirty times. */
const maxRatio = 200;

/** Few bytes that become many are work that their sender does not pay for. */
export function checkDecompressedSize(packed: number, unpacked: number, free: number): void {
  if (unpacked > free + maxRatio * packed) throw new Error('it grows too much when it is unpacked');
}

/** Passes on what was unpacked of so many bytes. */
export class DecompressionLimit extends Transform {
  #unpacked = 0;

  constructor(private readonly packed: () => number) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#unpacked += chunk.length;
    try {
      checkDecompressedSize(this.packed(), this.#unpacked, alwaysAllowedBytes.gzip);
      done(null, chunk);
    } catch (error) {
      done(error as Error);
    }
  }
}
