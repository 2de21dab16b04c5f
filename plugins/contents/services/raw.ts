import type { Readable } from 'node:stream';
import { byteRange, contentDisposition, reply, type Reply } from '@mortise/plugin-sdk';
import type { GitRepository } from '@mortise/git/api';

const mostInMemory = 2 << 20;

/** Beginnings of files that browsers may show as what they are. */
const signatures: readonly (readonly [RegExp, string])[] = [
  [/^\x89PNG\r\n\x1a\n/, 'image/png'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^RIFF[^]{4}WEBP/, 'image/webp'],
  [/^BM[^]{12}/, 'image/bmp'],
  [/^\x00\x00\x01\x00/, 'image/x-icon'],
  [/^%PDF-/, 'application/pdf'],
  [/^[^]{4}ftypavif/, 'image/avif'],
  [/^[^]{4}ftyp/, 'video/mp4'],
  [/^\x1aE\xdf\xa3/, 'video/webm'],
  [/^OggS/, 'application/ogg'],
  [/^(ID3|\xff[\xfb\xf3\xf2])/, 'audio/mpeg'],
  [/^RIFF[^]{4}WAVE/, 'audio/wav'],
];

/** Is it text, as git tells it: no NUL in the beginning? */
export const isText = (head: Buffer): boolean => !head.subarray(0, 8000).includes(0) && !looksCut(head);

/** Bytes that cannot be text in any usual encoding, such as a lone 0xff or 0xfe of a short binary file. */
const looksCut = (head: Buffer): boolean => {
  const start = head.subarray(0, 1024);
  let odd = 0;
  for (const byte of start) if (byte < 7 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32)) odd++;
  return odd > start.length / 10;
};

/** Media type by content, never one that a browser runs: pages, scripts and styles are plain text. */
export function mediaTypeOf(name: string, head: Buffer): string {
  const start = head.subarray(0, 64).toString('latin1');
  const known = signatures.find(([pattern]) => pattern.test(start));
  if (known) return known[1];
  if (/\.svg$/i.test(name) && isText(head)) return 'image/svg+xml';
  return head.length === 0 || (isText(head) && !/^PK\x03\x04/.test(start))
    ? 'text/plain; charset=utf-8'
    : 'application/octet-stream';
}

export interface ServedBlob {
  readonly oid: string;
  readonly name: string;
  /** Milliseconds since 1970 UTC. */
  readonly modifiedAt: number;
  readonly isPrivate: boolean;
  /** The address names a commit or blob: it never changes. */
  readonly immutable?: boolean;
}

/** Bytes of some size that can be read in part. */
export interface ByteSource {
  readonly size: number;
  /** The beginning, enough to tell what it is. */
  readonly head: Buffer;
  open(part?: { start: number; end: number }): Promise<Buffer | Readable>;
}

/** A blob of git; small ones are read once and whole. */
export async function blobSource(git: GitRepository, oid: string): Promise<ByteSource> {
  const size = (await git.info(oid))?.size ?? 0;
  const whole = size <= mostInMemory ? await git.blob(oid, mostInMemory) : undefined;
  const head = whole ?? Buffer.concat(await (await git.blobStream(oid, { start: 0, end: 8191 })).stream.toArray());
  return {
    size,
    head,
    open: async (part) =>
      whole ? (part ? whole.subarray(part.start, part.end + 1) : whole) : (await git.blobStream(oid, part)).stream,
  };
}

/** What browsers may do with the bytes: show them, alone, and nothing else. The viewer for PDF needs no sandbox. */
const fence = (type: string) =>
  type === 'application/pdf'
    ? "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'"
    : "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** The part that is asked for; none when the client has the rest of something else (RFC 9110, 13.1.5). */
export function partOf(
  headers: Readonly<Record<string, unknown>>,
  { tag, modifiedAt, size }: { readonly tag: string; readonly modifiedAt?: number; readonly size: number },
): { start: number; end: number } | undefined {
  const condition = headers['if-range'];
  const date = modifiedAt === undefined ? undefined : new Date(modifiedAt).toUTCString();
  if (condition && condition !== `"${tag}"` && condition !== date) return undefined;
  return byteRange(headers.range as string | undefined, size);
}

/** Answers with the bytes of a blob: entity tag, date, ranges, and a fence against anything that would run. */
export async function serveBytes(
  source: ByteSource,
  blob: ServedBlob,
  request: { readonly headers: Record<string, unknown> },
): Promise<Reply> {
  const { size } = source;
  // A copy that is still good is answered whole with 304, whatever part was asked for.
  const hasIt = String(request.headers['if-none-match'] ?? '').includes(`"${blob.oid}"`);
  const { oid: tag, modifiedAt } = blob;
  const part = hasIt ? undefined : partOf(request.headers, { tag, modifiedAt, size });
  // The range is served here; the HTTP library would refuse units that it does not know instead of ignoring them.
  delete request.headers.range;
  const body = await source.open(part);
  const type = mediaTypeOf(blob.name, source.head);
  const answer = reply
    .bytes(body, type, part ? 206 : 200)
    .tag(blob.oid)
    .header('accept-ranges', 'bytes')
    .header('content-disposition', contentDisposition('inline', blob.name))
    .header('content-security-policy', fence(type))
    .header('x-content-type-options', 'nosniff')
    .header(
      'cache-control',
      `${blob.isPrivate ? 'private' : 'public'}, ${blob.immutable ? 'max-age=31536000, immutable' : 'max-age=0, must-revalidate'}`,
    )
    .header('last-modified', new Date(blob.modifiedAt).toUTCString());
  if (part) answer.header('content-range', `bytes ${part.start}-${part.end}/${size}`);
  if (!Buffer.isBuffer(body)) answer.header('content-length', String(part ? part.end - part.start + 1 : size));
  return answer;
}

export const serveBlob = async (
  git: GitRepository,
  blob: ServedBlob,
  request: { readonly headers: Record<string, unknown> },
): Promise<Reply> => serveBytes(await blobSource(git, blob.oid), blob, request);
