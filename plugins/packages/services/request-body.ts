import { pipeline, type Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { BadRequest, isMultipart, readMultipart, TooLarge, unreadableBody } from '@mortise/plugin-sdk';
import type { PackageForm, PackageRoute } from '../api.js';
import { nameFiles } from './form-files.js';

const defaultMax = 2 * 1024 * 1024;
/** Files of one form; all but the first, such as signatures, are passed over. */
const maxFiles = 16;

interface BodySource {
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
  if (as === 'form')
    return formOf(nameFiles(stream, headers['content-type'] ?? '', route.fileFields ?? []), headers, route.maxBytes);
  const source = isMultipart(headers) ? await firstFile(stream, headers) : stream;
  if (as === 'stream') return source;
  const max = route.maxBytes ?? defaultMax;
  checkLength(headers, max);
  const packed = /^(?:x-)?gzip$/i.test(headers['content-encoding'] ?? '');
  const bytes = await collect(packed ? pipeline(source, createGunzip(), () => undefined) : source, max);
  if (as === 'buffer') return bytes;
  try {
    return bytes.length === 0 ? undefined : (JSON.parse(bytes.toString('utf8')) as unknown);
  } catch (error) {
    throw BadRequest(`The request body is not valid JSON: ${(error as Error).message}`);
  }
}

function checkLength(headers: BodySource['headers'], max: number): void {
  if (max > 0 && (lengthOf(headers) ?? 0) > max) throw bodyTooLong(max);
}

const bodyTooLong = (max: number) => TooLarge(`The request body is larger than ${max} bytes.`);

const maxFormFiles = 16;
const maxFields = 1000;

function formOf(stream: Readable, headers: BodySource['headers'], maxBytes = 0): PackageForm {
  return {
    async read(onFile) {
      if (isMultipart(headers))
        return readMultipart(stream, headers, {
          maxBytes,
          maxFiles: onFile ? maxFormFiles : 0,
          ...(onFile && { onFile }),
        });
      const fields = new Map<string, string[]>();
      const max = maxBytes || defaultMax;
      checkLength(headers, max);
      const text = (await collect(stream, max)).toString('utf8');
      let count = 0;
      for (const [name, value] of new URLSearchParams(text)) {
        if (++count > maxFields) throw TooLarge(`A form can have at most ${maxFields} fields.`);
        const values = fields.get(name);
        if (values) values.push(value);
        else fields.set(name, [value]);
      }
      return fields;
    },
  };
}

/** The whole of a stream, bounded. */
export async function collect(stream: Readable, max: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (max > 0 && size > max) throw bodyTooLong(max);
      chunks.push(chunk);
    }
  } catch (error) {
    throw unreadableBody(error);
  }
  return Buffer.concat(chunks, size);
}

/** The first file of any field of a form; what follows it is read and forgotten. */
function firstFile(stream: Readable, headers: BodySource['headers']): Promise<Readable> {
  return new Promise((resolve, reject) => {
    let hasFile = false;
    readMultipart(stream, headers, {
      maxFiles,
      onFile: async ({ content }) => {
        if (hasFile) return;
        hasFile = true;
        resolve(content);
        await finished(content);
      },
    }).then(() => reject(BadRequest('The form contains no file.')), reject);
  });
}
