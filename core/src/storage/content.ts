import { createHash } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import { Problem, TooLarge } from '@mortise/plugin-sdk';

const algorithms = ['md5', 'sha1', 'sha256', 'sha512'] as const;
export type Digests = Record<(typeof algorithms)[number], string>;

/** Passes content through, counting and hashing it; breaks off above `maxBytes` (413). */
export class HashingMeter extends Transform {
  readonly #hashes = algorithms.map((name) => [name, createHash(name)] as const);
  readonly #maxBytes: number;
  /** Not `size`: the S3 client would take that for the length of what is still to come. */
  bytes = 0;

  constructor(maxBytes = Infinity) {
    super();
    this.#maxBytes = maxBytes;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.bytes += chunk.length;
    if (this.bytes > this.#maxBytes) return done(TooLarge(`The content is larger than ${this.#maxBytes} bytes.`));
    for (const [, hash] of this.#hashes) hash.update(chunk);
    done(null, chunk);
  }

  /** Once, after the end. */
  digests(): Digests {
    return Object.fromEntries(this.#hashes.map(([name, hash]) => [name, hash.digest('hex')])) as Digests;
  }
}

/** Where content with that SHA-256 lies: two levels of folders keep them small. */
export const keyOfHash = (sha256: string) => `${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`;

/** Refuses keys that could leave their area, or that some file system cannot keep. */
export function checkKey(key: string): string {
  const parts = key.split('/');
  const bad =
    key.length === 0 ||
    key.length > 900 ||
    parts.some(
      (part) =>
        part === '' || part === '.' || part === '..' || Buffer.byteLength(part) > 240 || part.startsWith('.tmp-'),
    ) ||
    /[\u0000-\u001f\\\u007f]/.test(key);
  if (bad) throw new Problem('bad_request', 'The name is not allowed in storage.');
  return key;
}

/** The bytes of a range within `size`; 416 when it begins behind the end. */
export function clip(range: { start: number; end?: number }, size: number): { start: number; end: number } {
  const end = Math.min(range.end ?? size - 1, size - 1);
  if (range.start < 0 || range.start >= size || end < range.start) {
    throw new Problem('range_not_satisfiable', 'The range lies outside the content.', {
      headers: { 'content-range': `bytes */${size}` },
    });
  }
  return { start: range.start, end };
}
