import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { BadRequest, Problem } from '@mortise/plugin-sdk';
import { Base64Text } from './base64-text.js';
import { DocumentScanner } from './document-scanner.js';
import { isRecord, type Json } from './json.js';

/** A tarball that came within the document: it is stored by now, and in memory it never was. */
export interface Attachment<B> {
  readonly name: string;
  readonly blob: B;
  /** Of the digests that integrity may name the one that storage does not keep. */
  readonly sha384: string;
}

export interface PublishDocument<B> {
  /** Without the contents of its attachments. */
  readonly document: Json;
  readonly attachment?: Attachment<B>;
}

/** Bytes of a document besides its attachments: a large package sends all of its versions with `npm deprecate`. */
export const maxDocument = 16 * 1024 * 1024;

/** The body of a publish request, unpacked; a refusal in between leaves the connection whole. */
export async function readPublishBody<B>(
  source: Readable,
  encoding: string | undefined,
  receive: (content: Readable) => Promise<B>,
): Promise<PublishDocument<B>> {
  const packed = /^(?:x-)?gzip$/i.test(encoding ?? '');
  const stream = packed ? source.pipe(createGunzip()) : source;
  if (packed) source.once('error', (error) => stream.destroy(error));
  const chunks = stream.iterator({ destroyOnReturn: packed }) as AsyncIterableIterator<Buffer>;
  try {
    return await readDocument(chunks, receive);
  } catch (error) {
    throw Problem.is(error) || !isStreamFault(error)
      ? error
      : BadRequest(`The request body could not be read: ${error.message}`);
  } finally {
    await chunks.return?.();
    source.resume();
  }
}

const isStreamFault = (error: unknown): error is Error =>
  error instanceof Error &&
  'code' in error &&
  /^(?:ERR_STREAM_|Z_|ECONNRESET|ABORT_ERR)/.test(String((error as NodeJS.ErrnoException).code));

/**
 * Reads a document piece by piece. The first tarball goes to `receive` while it arrives, no faster than it is taken;
 * other attachments are passed over.
 */
async function readDocument<B>(
  chunks: AsyncIterator<Buffer>,
  receive: (content: Readable) => Promise<B>,
): Promise<PublishDocument<B>> {
  const scanner = new DocumentScanner(maxDocument);
  let attachment: Attachment<B> | undefined;
  let held: Buffer | undefined;
  const next = async (): Promise<Buffer | undefined> => {
    if (held) {
      const rest = held;
      held = undefined;
      return rest;
    }
    const { done, value } = await chunks.next();
    return done ? undefined : value;
  };
  for (let chunk = await next(); chunk; chunk = await next()) {
    const at = scanner.scan(chunk);
    if (at === undefined) continue;
    held = chunk.subarray(at);
    const name = scanner.attachment;
    const content = contentOf(next, (rest) => (held = rest));
    const isWanted = !attachment || (name.endsWith('.tgz') && !attachment.name.endsWith('.tgz'));
    if (isWanted) {
      const hash = createHash('sha384');
      const counted = async function* () {
        for await (const bytes of content) {
          hash.update(bytes);
          yield bytes;
        }
      };
      const blob = await receive(Readable.from(counted(), { objectMode: false }));
      attachment = { name, blob, sha384: hash.digest('base64') };
    } else for await (const bytes of content) void bytes;
    scanner.endContent();
  }
  return { document: parsed(scanner.text()), ...(attachment ? { attachment } : {}) };
}

/** The bytes of a base64 string up to its quote; what follows the quote is given back. */
async function* contentOf(
  next: () => Promise<Buffer | undefined>,
  giveBack: (rest: Buffer) => void,
): AsyncGenerator<Buffer> {
  const text = new Base64Text();
  for (;;) {
    const chunk = await next();
    if (!chunk) throw BadRequest('The request body ended too early.');
    const { bytes, end } = text.push(chunk);
    if (bytes.length > 0) yield bytes;
    if (end === undefined) continue;
    const last = text.finish();
    giveBack(chunk.subarray(end));
    if (last.length > 0) yield last;
    return;
  }
}

function parsed(text: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw BadRequest(`The request body is not valid JSON: ${(error as Error).message}`);
  }
  if (!isRecord(value)) throw BadRequest('The request body must be a JSON object.');
  return value;
}
