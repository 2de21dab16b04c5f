import type { Readable } from 'node:stream';
import { downloadPolicy, serveDownload, type DownloadRequest, type Reply } from '@mortise/plugin-sdk';
import type { GitRepository } from '@mortise/git/api';
import { fileTypeOf } from './text.js';

const maxInMemory = 2 << 20;

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

/** The bytes of a source, or the part of them: whoever asks has looked at its size. */
export async function bytesOf(source: ByteSource, part?: { start: number; end: number }): Promise<Buffer> {
  const opened = await source.open(part);
  return Buffer.isBuffer(opened) ? opened : Buffer.concat((await opened.toArray()) as Buffer[]);
}

/** A blob of git; small ones are read once and whole. */
export async function blobSource(git: GitRepository, oid: string): Promise<ByteSource> {
  const size = (await git.info(oid))?.size ?? 0;
  const whole = size <= maxInMemory ? await git.blob(oid, maxInMemory) : undefined;
  const head = whole ?? Buffer.concat(await (await git.blobStream(oid, { start: 0, end: 8191 })).stream.toArray());
  return {
    size,
    head,
    open: async (part) =>
      whole ? (part ? whole.subarray(part.start, part.end + 1) : whole) : (await git.blobStream(oid, part)).stream,
  };
}

/** The viewer for PDF needs no sandbox. */
const fenceOf = (type: string) =>
  type === 'application/pdf' ? "default-src 'none'; style-src 'unsafe-inline'; object-src 'self'" : downloadPolicy;

/** Responds with the bytes of a blob: entity tag, date, ranges, and a fence against anything that would run. */
export function serveBytes(source: ByteSource, blob: ServedBlob, request: DownloadRequest): Promise<Reply> {
  const type = fileTypeOf(blob.name, source.head);
  return serveDownload(
    {
      size: source.size,
      type,
      tag: blob.oid,
      modifiedAt: blob.modifiedAt,
      name: blob.name,
      disposition: 'inline',
      policy: fenceOf(type),
      // also what never changes: who may see it does, when a repository becomes private
      cacheControl: blob.immutable
        ? 'private, max-age=300'
        : `${blob.isPrivate ? 'private' : 'public'}, max-age=0, must-revalidate`,
      open: (part) => source.open(part),
    },
    request,
  );
}

export const serveBlob = async (git: GitRepository, blob: ServedBlob, request: DownloadRequest): Promise<Reply> =>
  serveBytes(await blobSource(git, blob.oid), blob, request);
