import type { IncomingMessage } from 'node:http';
import { pipeline as pipe, Transform, type Duplex, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Problem } from '@mortise/plugin-sdk';

const tooLarge = (limit: number) => new Problem('too_large', `The response is larger than ${limit} bytes.`);

const plainly = (error: Error): Error =>
  (error as NodeJS.ErrnoException).code === 'ECONNRESET' ? new Error('the answer ended too early') : error;

/** The same as it comes; whoever reads it gets the error of what goes wrong. */
export function openBody(response: IncomingMessage, limit: number): Readable {
  let size = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > limit) done(tooLarge(limit));
      else done(null, chunk);
    },
  });
  const unpack = unpacker(response.headers['content-encoding']);
  const ended = (error: NodeJS.ErrnoException | null) => {
    if (error) counter.destroy(plainly(error));
  };
  if (unpack) pipe(response, unpack, counter, ended);
  else pipe(response, counter, ended);
  return counter;
}

/** The whole body after unpacking; larger ones are cut off, so that nobody fills our memory. */
export async function readBody(response: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const check = () => {
    if (size > limit) throw tooLarge(limit);
  };
  const collect = async (source: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of source) {
      size += chunk.length;
      if (size > limit) break;
      chunks.push(chunk);
    }
  };
  const unpack = unpacker(response.headers['content-encoding']);
  try {
    await (unpack ? pipeline(response, unpack, collect) : pipeline(response, collect));
  } catch (error) {
    // leaving the loop ends the streams before it with errors of their own
    check();
    throw plainly(error as Error);
  }
  check();
  return Buffer.concat(chunks, size);
}

function unpacker(encoding: string | undefined): Duplex | undefined {
  switch (encoding) {
    case 'gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      return undefined;
  }
}
