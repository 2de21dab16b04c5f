import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Dispenser, type Part } from '@hapi/pez';
import { BadRequest, TooLarge } from '@mortise/plugin-sdk';
import type { PackageRoute } from '../api.js';

const defaultMax = 2 * 1024 * 1024;

export interface BodySource {
  readonly stream: Readable;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export function lengthOf(headers: Readonly<Record<string, string | undefined>>): number | undefined {
  const text = headers['content-length'];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** Reads what a client sent as the route wants it. */
export async function readBody(route: PackageRoute, { stream, headers }: BodySource): Promise<unknown> {
  const as = route.body ?? (route.method === 'GET' ? 'none' : 'buffer');
  if (as === 'none') return undefined;
  const source = isForm(headers) ? await firstFile(stream, headers['content-type']!) : stream;
  if (as === 'stream') return source;
  const max = route.maxBytes ?? defaultMax;
  if (max > 0 && (lengthOf(headers) ?? 0) > max) throw TooLarge(`the body is larger than ${max} bytes`);
  const packed = /^(?:x-)?gzip$/i.test(headers['content-encoding'] ?? '');
  const bytes = await collect(packed ? source.pipe(createGunzip()) : source, max);
  if (as === 'buffer') return bytes;
  try {
    return bytes.length === 0 ? undefined : (JSON.parse(bytes.toString('utf8')) as unknown);
  } catch (error) {
    throw BadRequest(`the body is no JSON: ${(error as Error).message}`);
  }
}

const isForm = (headers: Readonly<Record<string, string | undefined>>) =>
  (headers['content-type'] ?? '').toLowerCase().startsWith('multipart/form-data');

/** The whole of a stream, bounded. */
export async function collect(stream: Readable, max: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (max > 0 && size > max) throw TooLarge(`the body is larger than ${max} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof Error && error.name === 'Problem') throw error;
    throw BadRequest(`the body cannot be read: ${(error as Error).message}`);
  }
  return Buffer.concat(chunks, size);
}

/** The first file of any field of a form; what follows it is read and forgotten. */
function firstFile(stream: Readable, contentType: string): Promise<Readable> {
  const boundary = /boundary=(?:"([^"]{1,200})"|([^;\s]{1,200}))/i.exec(contentType);
  if (!boundary) return Promise.reject(BadRequest('the form has no boundary'));
  return new Promise((resolve, reject) => {
    const dispenser = new Dispenser({ boundary: (boundary[1] ?? boundary[2])! });
    let found = false;
    dispenser.on('part', (part: Part) => {
      if (found) return void part.resume();
      found = true;
      resolve(part);
    });
    dispenser.on('field', () => undefined);
    dispenser.once('close', () => reject(BadRequest('the form has no file')));
    dispenser.once('error', (error: Error) => reject(BadRequest(`the form cannot be read: ${error.message}`)));
    stream.once('error', (error) => reject(BadRequest(error.message)));
    stream.pipe(dispenser);
  });
}
