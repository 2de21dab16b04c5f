import { Readable } from 'node:stream';
import { BadRequest, Problem, TooLarge } from '@mortise/plugin-sdk';
import { FormReader } from './form-reader.js';

type Headers = Readonly<Record<string, string | undefined>>;

export interface Upload<T> {
  readonly stored?: T;
  readonly fields: ReadonlyMap<string, string>;
}

export const isForm = (headers: Headers): boolean =>
  (headers['content-type'] ?? '').toLowerCase().startsWith('multipart/form-data');

/** Refuses early what says of itself that it is too large, and what is packed. */
export function checkBody(headers: Headers, maxBytes: number | undefined): void {
  const length = Number(headers['content-length'] ?? 0);
  if (maxBytes !== undefined && length > maxBytes + (isForm(headers) ? 1 << 20 : 0))
    throw TooLarge(`a file has at most ${maxBytes} bytes`);
  if (!['', 'identity'].includes(headers['content-encoding'] ?? ''))
    throw new Problem('unsupported_media_type', 'send the file as it is, without a content encoding');
}

/** Reads the body with `read`; a refusal in between leaves the connection whole, so that the client hears of it. */
async function reading<T>(source: Readable, read: (chunks: AsyncIterator<Buffer>) => Promise<T>): Promise<T> {
  const chunks = source.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
  try {
    return await read(chunks);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    throw ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'ABORT_ERR'].includes(code)
      ? BadRequest('the body ended too early')
      : error;
  } finally {
    await chunks.return?.();
    source.resume();
  }
}

/** The body as it is. */
export function readRaw<T>(source: Readable, store: (content: Readable) => Promise<T>): Promise<T> {
  return reading(source, (chunks) =>
    store(Readable.from({ [Symbol.asyncIterator]: () => ({ next: () => chunks.next() }) }, { objectMode: false })),
  );
}

/** Streams the first file of the field to `store`; fields are kept, other files passed over. */
export function readForm<T>(
  source: Readable,
  headers: Headers,
  field: string,
  store: (content: Readable, fileName: string) => Promise<T>,
): Promise<Upload<T>> {
  return reading(source, async (chunks) => {
    const form = new FormReader(chunks, FormReader.boundaryOf(headers['content-type'] ?? ''));
    const fields = new Map<string, string>();
    let stored: { readonly value: T } | undefined;
    await form.begin();
    for (let part = await form.next(); part; part = await form.next()) {
      if (part.fileName === undefined) fields.set(part.name, await form.value());
      else if (part.name === field && !stored)
        stored = { value: await store(Readable.from(form.content(), { objectMode: false }), part.fileName) };
      else for await (const chunk of form.content()) void chunk;
    }
    return { ...(stored ? { stored: stored.value } : {}), fields };
  });
}
