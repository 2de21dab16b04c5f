/** Bodies of requests, without their compression. */
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { BadRequest, unreadableBody } from '@mortise/plugin-sdk';

/** Bodies up to this length, when they say it, are read whole: nearly everything but packs. */
export const shortBody = 64 * 1024;
/** What a short body may grow to when it is unpacked. */
const maxUnpackedBytes = 1024 * 1024;

export function readShort(source: Readable): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    source.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxUnpackedBytes) source.destroy(BadRequest('The request body is too large.'));
      else chunks.push(chunk);
    });
    source.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    source.once('error', (error) => reject(unreadableBody(error)));
    source.once('close', () => {
      if (!source.readableEnded) reject(BadRequest('The request body ended too early.'));
    });
  });
}

/** The body as it was meant; 400 when it is not what its header says. */
export async function unpacked(source: Readable, encoding: string | undefined): Promise<Readable> {
  if (!encoding || encoding === 'identity') return source;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') throw BadRequest('Unknown content encoding.');
  const gunzip = createGunzip();
  source.once('error', (error) => gunzip.destroy(error));
  source.once('close', () => {
    if (!source.readableEnded) gunzip.destroy(new Error('the body was cut off'));
  });
  source.pipe(gunzip);
  await new Promise<void>((resolve, reject) => {
    gunzip.once('readable', resolve);
    // stays, so that an error while nobody reads does not end the server
    gunzip.on('error', (error) => reject(unreadableBody(error, 'The request body could not be decompressed')));
  });
  return gunzip;
}
