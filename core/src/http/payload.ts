import { parse as parseForm } from 'node:querystring';
import { type Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { BadRequest, formatSize, Invalid, isMultipart, Problem, TooLarge, type Route } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';
import type { RequestContext } from './context.js';
import { bodyStream } from './body-stream.js';
import { awaitsContinue } from './expect-continue.js';
import { closeLingering } from './lingering-close.js';
import { readForm, type FileGuard } from './multipart.js';

const multipartLimit = 256 * 1024 * 1024;

/** Reads what the client sent, as the route wants it; after the access checks, so that nobody feeds us in vain. */
export async function readPayload(context: RequestContext, route: Route, guard?: FileGuard): Promise<unknown> {
  const mode = route.payload?.as ?? 'json';
  const source = context.request.payload as Readable;
  checkType(context, route);
  const small = context.kernel.settings.server.MAX_JSON_BODY;
  switch (mode) {
    case 'stream':
      return bounded(context, bodyStream(source), route.payload?.maxBytes ?? 0);
    case 'buffer':
      return read(context, source, route.payload?.maxBytes ?? small, false);
    case 'multipart':
      return isMultipart(context.headers)
        ? readForm(context, source, route, route.payload?.maxBytes ?? multipartLimit, guard)
        : readFields(context, source, route, route.payload?.maxBytes ?? small);
    default:
      return readFields(context, source, route, route.payload?.maxBytes ?? small);
  }
}

const mediaType = (context: RequestContext): string =>
  ((context.request.headers['content-type'] as string | undefined) ?? '').split(';', 1)[0]!.trim().toLowerCase();

function checkType(context: RequestContext, route: Route): void {
  const allowed = route.payload?.allow;
  if (allowed && !allowed.includes(mediaType(context)))
    throw new Problem('unsupported_media_type', `The content type must be ${allowed.join(' or ')}.`);
}

function length(context: RequestContext): number | undefined {
  const header = context.request.headers['content-length'] as string | undefined;
  return header !== undefined && /^\d+$/.test(header) ? Number(header) : undefined;
}

const hasBody = (context: RequestContext): boolean =>
  (length(context) ?? 0) > 0 || context.request.headers['transfer-encoding'] !== undefined;

const tooLarge = (limit: number) =>
  TooLarge(`The request body is larger than ${limit} bytes.`, {
    text: t.later('error.tooLarge', { size: () => formatSize(limit) }),
  });
const broken = (message: string) => BadRequest(message, { text: t.later('error.body') });

/** JSON or a form; a body of no or an unknown kind is not guessed at (ERR-20). */
async function readFields(context: RequestContext, source: Readable, route: Route, limit: number): Promise<unknown> {
  if (!hasBody(context)) return {};
  const type = mediaType(context);
  if (type === 'multipart/form-data') return readForm(context, source, route, limit);
  const isForm = type === 'application/x-www-form-urlencoded';
  const isJson = type === 'application/json' || type.endsWith('+json');
  const body = await read(context, source, limit, true);
  if (body.length === 0) return {};
  const text = body.toString('utf8');
  if (isJson) return parseJson(text);
  if (!isForm) throw Invalid(type ? `The content type ${type} is not supported.` : 'The request has no content type.');
  // many command line clients send JSON under the name of a form
  if (text[0] === '{') {
    try {
      return parseJson(text);
    } catch {
      // a form after all
    }
  }
  return { ...parseForm(text) };
}

function parseJson(text: string): unknown {
  try {
    const suspicious = /__proto__|\\u(?:005f|d[89a-f])/i.test(text);
    const value: unknown = suspicious ? JSON.parse(text, harmless) : JSON.parse(text);
    if (isDeeperThan(maxJsonDepth, value)) throw new Error(`it is nested more than ${maxJsonDepth} levels deep`);
    return value === null ? {} : value;
  } catch (error) {
    throw Invalid(`The request body is not valid JSON: ${(error as Error).message}`);
  }
}

/** Libraries that copy and write values call themselves for each level. */
const maxJsonDepth = 100;

const isDeeperThan = (depth: number, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (depth === 0 || Object.values(value).some((one) => isDeeperThan(depth - 1, one)));

/** No key reaches a prototype, and half a character (a lone surrogate), which no database stores, becomes U+FFFD. */
function harmless(key: string, value: unknown): unknown {
  if (key === '__proto__') return undefined;
  return typeof value === 'string' ? value.toWellFormed() : value;
}

const maxDrainedBytes = 1 << 20;
const maxDrainMs = 2000;

/**
 * Takes what a small body still has to bring before its request is refused: a connection that closes while the client
 * sends shows it a broken pipe instead of the answer. Larger bodies are not waited for.
 */
export async function drain(context: RequestContext): Promise<void> {
  const { req } = context.request.raw;
  if (
    awaitsContinue(req) ||
    !hasBody(context) ||
    req.readableEnded ||
    req.destroyed ||
    (length(context) ?? 0) > maxDrainedBytes
  )
    return;
  await new Promise<void>((resolve) => {
    let size = 0;
    const done = () => {
      clearTimeout(timer);
      req.off('data', onData).off('end', done).off('close', done);
      resolve();
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxDrainedBytes) done();
    };
    const timer = setTimeout(done, maxDrainMs);
    req.on('data', onData).once('end', done).once('close', done).resume();
  });
}

/** Called before the answer goes out, when nothing more of the body is read. */
export function closeIfUnread(context: RequestContext): void {
  const { req } = context.request.raw;
  if (hasBody(context) && !req.complete && !req.destroyed && !awaitsContinue(req)) closeLingering(req);
}

function unpacked(context: RequestContext, source: Readable): Readable {
  switch (context.request.headers['content-encoding']) {
    case undefined:
    case '':
    case 'identity':
      return source;
    case 'gzip':
    case 'x-gzip':
      return source.pipe(createGunzip());
    case 'deflate':
      return source.pipe(createInflate());
    case 'br':
      return source.pipe(createBrotliDecompress());
    default:
      throw new Problem('unsupported_media_type', 'Unknown content encoding.');
  }
}

/** The whole body, bounded in size and time. */
async function read(context: RequestContext, source: Readable, limit: number, unpack: boolean): Promise<Buffer> {
  if (limit > 0 && (length(context) ?? 0) > limit) throw tooLarge(limit);
  const stream = unpack ? unpacked(context, source) : source;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timeout = context.kernel.settings.server.REQUEST_TIMEOUT;
    const timer = setTimeout(() => finish(broken('the body did not arrive in time')), timeout);
    const onClose = () => finish(broken('the body ended too early'));
    const finish = (problem?: Error) => {
      clearTimeout(timer);
      stream.off('data', onData);
      source.off('close', onClose);
      if (!problem) return resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size));
      if (stream !== source) stream.destroy();
      source.resume();
      reject(problem);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (limit > 0 && size > limit) finish(tooLarge(limit));
      else chunks.push(chunk);
    };
    stream.on('data', onData);
    stream.once('end', () => finish());
    stream.once('error', (error) => finish(broken(`the body cannot be read: ${error.message}`)));
    source.once('close', onClose);
  });
}

/** The body as a stream, in the content encoding of the client; refused when it grows beyond `limit`. */
function bounded(context: RequestContext, source: Readable, limit: number): Readable {
  if (limit <= 0) return source;
  if ((length(context) ?? 0) > limit) throw tooLarge(limit);
  let size = 0;
  const gate = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > limit) done(tooLarge(limit));
      else done(null, chunk);
    },
  });
  source.once('error', (error) => gate.destroy(error));
  return source.pipe(gate);
}
