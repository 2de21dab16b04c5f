import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Problem } from '@mortise/plugin-sdk';

/** The whole body after unpacking; larger ones are cut off, so that nobody fills our memory. */
export async function readBody(response: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  const check = () => {
    if (size > limit) throw new Problem('too_large', `The response is larger than ${limit} bytes.`);
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
    throw (error as NodeJS.ErrnoException).code === 'ECONNRESET' ? new Error('the answer ended too early') : error;
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
