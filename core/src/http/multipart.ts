import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Dispenser, type Part } from '@hapi/pez';
import { BadRequest, Invalid, TooLarge, type UploadedFile } from '@mortise/plugin-sdk';
import type { RequestContext } from './context.js';

const boundaryPattern = /boundary=(?:"([^"]{1,200})"|([^;\s]{1,200}))/i;

/**
 * Reads a multipart form. Files are spooled to disk, so that fields behind them are known to the handler; the spooled
 * files go when the answer is done.
 */
export async function readMultipart(
  context: RequestContext,
  source: Readable,
  maxBytes: number,
): Promise<Record<string, unknown>> {
  const found = boundaryPattern.exec((context.request.headers['content-type'] as string | undefined) ?? '');
  const boundary = found?.[1] ?? found?.[2];
  if (!boundary) throw Invalid('the multipart body has no boundary');
  if (Number(context.request.headers['content-length'] ?? 0) > maxBytes && maxBytes > 0)
    throw TooLarge(`the body is larger than ${maxBytes} bytes`);
  const folder = join(
    context.kernel.site.workDir,
    'tmp',
    'uploads',
    `${context.requestId.replace(/[^\w-]/g, '')}-${context.kernel.nextRequestId()}`,
  );
  context.request.raw.res.once('close', () => void rm(folder, { recursive: true, force: true }));
  return collect(source, boundary, maxBytes, folder);
}

async function collect(
  source: Readable,
  boundary: string,
  maxBytes: number,
  folder: string,
): Promise<Record<string, unknown>> {
  const fields: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  const spooling: Promise<void>[] = [];
  let count = 0;
  const add = (name: string, value: unknown) => {
    const before = fields[name];
    fields[name] =
      before === undefined ? value : Array.isArray(before) ? [...(before as unknown[]), value] : [before, value];
  };
  await new Promise<void>((resolve, reject) => {
    const dispenser = new Dispenser({ boundary, ...(maxBytes > 0 ? { maxBytes } : {}) });
    const fail = (error: Error) => {
      source.unpipe(dispenser);
      source.resume();
      const status = (error as { output?: { statusCode?: number } }).output?.statusCode;
      reject(
        status === 413
          ? TooLarge(`the body is larger than ${maxBytes} bytes`)
          : BadRequest(`the multipart body cannot be read: ${error.message}`),
      );
    };
    dispenser.on('field', (name: string, value: string) => add(name, value));
    dispenser.on('part', (part: Part) => {
      const path = join(folder, String(++count));
      const order = { name: part.name, at: count };
      spooling.push(
        spool(part, folder, path).then((size) => {
          add(order.name, fileOf(part, path, size));
        }),
      );
    });
    dispenser.once('error', fail);
    dispenser.once('close', resolve);
    source.once('error', fail);
    source.once('close', () => {
      if (!source.readableEnded) fail(new Error('it ended too early'));
    });
    source.pipe(dispenser);
  });
  await Promise.all(spooling);
  return { ...fields };
}

async function spool(part: Part, folder: string, path: string): Promise<number> {
  await mkdir(folder, { recursive: true });
  const target = createWriteStream(path);
  await pipeline(part, target);
  return target.bytesWritten;
}

function fileOf(part: Part, path: string, size: number): UploadedFile {
  return Object.assign(createReadStream(path), {
    fileName: (part.filename ?? '').replace(/^.*[\\/]/, ''),
    contentType: part.headers['content-type'] ?? 'application/octet-stream',
    size,
  });
}
