import type { Readable } from 'node:stream';
import { Problem } from './errors.js';
import { reply, type Reply } from './reply.js';

/** The wanted part of `bytes=…` (RFC 9110, 14); undefined for none, several parts or another unit: then all of it. */
function byteRange(header: string | undefined, size: number): { start: number; end: number } | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if ((!from && !to) || size === 0) return undefined;
  const start = from ? Number(from) : Math.max(0, size - Number(to));
  const end = from && to ? Math.min(Number(to), size - 1) : size - 1;
  if (from && to && Number(to) < Number(from)) return undefined;
  if (start >= size || (!from && Number(to) === 0))
    throw new Problem('range_not_satisfiable', `The content has only ${size} bytes.`, {
      headers: { 'content-range': `bytes */${size}` },
    });
  return { start, end };
}

/** `Content-Disposition` with a name of any signs (RFC 6266, 4; RFC 8187). */
export function contentDisposition(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Where downloads may do nothing but be looked at: no scripts, no requests, a page of their own. */
export const downloadPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** Bytes of a size that is known, which can be read in part. */
interface Download {
  readonly size: number;
  /** Media type; never one that a page of this site could load as a script or style. */
  readonly type: string;
  /** Strong entity tag, without quotes: two contents never share one. */
  readonly tag: string;
  /** Milliseconds since 1970 UTC. */
  readonly modifiedAt?: number;
  /** Name to save it under. */
  readonly name?: string;
  /** Default `attachment`: it is saved, not shown. */
  readonly disposition?: 'inline' | 'attachment';
  readonly cacheControl?: string;
  /** `Content-Security-Policy`; default {@link downloadPolicy}. */
  readonly policy?: string;
  /** `end` is inclusive. */
  open(part?: { readonly start: number; readonly end: number }): Promise<Buffer | Readable>;
}

/** As much of a request as {@link serveDownload} heeds; `headers.range` is taken out of it. */
export interface DownloadRequest {
  readonly method?: string;
  readonly headers: Record<string, unknown>;
}

/** Does the client have this very content, by what it says in `If-None-Match`? */
export const isNotModified = ({ headers }: DownloadRequest, tag: string): boolean =>
  String(headers['if-none-match'] ?? '').includes(`"${tag}"`);

/** The part that is asked for; none when the client has the rest of something else (RFC 9110, 13.1.5). */
export function requestedRange(
  headers: Readonly<Record<string, unknown>>,
  { tag, modifiedAt, size }: Pick<Download, 'tag' | 'modifiedAt' | 'size'>,
): { start: number; end: number } | undefined {
  const condition = headers['if-range'];
  const date = modifiedAt === undefined ? undefined : new Date(modifiedAt).toUTCString();
  if (condition && condition !== `"${tag}"` && condition !== date) return undefined;
  return byteRange(headers.range as string | undefined, size);
}

/** Responds with the bytes: entity tag, date, ranges, name, and a fence against anything that would run. */
export async function serveDownload(download: Download, request: DownloadRequest): Promise<Reply> {
  const { size, tag, modifiedAt, name } = download;
  const isHead = request.method?.toUpperCase() === 'HEAD';
  // A copy that is still good is told whole with 304, whatever part was asked for; HEAD knows no parts.
  const isCopied = isNotModified(request, tag);
  const part = isCopied || isHead ? undefined : requestedRange(request.headers, download);
  // The range is served here; the HTTP library would refuse units that it does not know instead of ignoring them.
  delete request.headers.range;
  const body = isCopied || isHead || size === 0 ? Buffer.alloc(0) : await download.open(part);
  const answer = reply
    .bytes(body, download.type, part ? 206 : 200)
    .tag(tag)
    .header('accept-ranges', 'bytes')
    .header('content-security-policy', download.policy ?? downloadPolicy)
    .header('x-content-type-options', 'nosniff');
  if (!Buffer.isBuffer(body) || isHead)
    answer.header('content-length', String(part ? part.end - part.start + 1 : size));
  if (part) answer.header('content-range', `bytes ${part.start}-${part.end}/${size}`);
  if (name !== undefined)
    answer.header('content-disposition', contentDisposition(download.disposition ?? 'attachment', name));
  if (download.cacheControl) answer.header('cache-control', download.cacheControl);
  if (modifiedAt !== undefined) answer.header('last-modified', new Date(modifiedAt).toUTCString());
  return answer;
}
