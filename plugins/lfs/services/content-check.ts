import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { BadRequest, Invalid } from '@mortise/plugin-sdk';
import type { LfsPointer } from '../contract/lfs.js';

/**
 * Passes content through and throws at its end unless it is what the pointer says, or as soon as it is longer. The
 * source itself is left open, so that a refusal still reaches a client that is sending.
 */
async function* verified(source: Readable, { oid, size }: LfsPointer): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > size) throw Invalid(`The object is larger than ${size} bytes.`);
      hash.update(chunk);
      yield chunk;
    }
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET' || code === 'ERR_STREAM_DESTROYED')
      throw BadRequest('The upload ended too early.');
    throw error;
  }
  if (bytes < size) throw Invalid(`The object has ${bytes} bytes instead of ${size}.`);
  if (hash.digest('hex') !== oid) throw Invalid('The SHA-256 of the content does not match the object ID.');
}

/** The content as a stream that fails when it is not what the pointer says. */
export const verifiedStream = (source: Readable, pointer: LfsPointer): Readable =>
  Readable.from(verified(source, pointer), { objectMode: false });

/** Reads the content to its end without keeping it: proof that a client holds it. */
export async function verifyContent(source: Readable, pointer: LfsPointer): Promise<void> {
  for await (const chunk of verified(source, pointer)) void chunk;
}
