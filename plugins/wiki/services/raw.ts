import { contentDisposition, reply, type Reply } from '@mortise/plugin-sdk';
import type { GitRepository } from '@mortise/git/api';

/** Beginnings of files that browsers may show as what they are. */
const signatures: readonly (readonly [RegExp, string])[] = [
  [/^\x89PNG\r\n\x1a\n/, 'image/png'],
  [/^GIF8[79]a/, 'image/gif'],
  [/^\xff\xd8\xff/, 'image/jpeg'],
  [/^RIFF[^]{4}WEBP/, 'image/webp'],
  [/^BM[^]{12}/, 'image/bmp'],
  [/^[^]{4}ftypavif/, 'image/avif'],
  [/^%PDF-/, 'application/pdf'],
];

const isText = (head: Buffer) => !head.includes(0);

/** Never a type that a browser runs: pages, scripts and styles are plain text. */
function mediaType(name: string, head: Buffer): string {
  const start = head.subarray(0, 64).toString('latin1');
  const known = signatures.find(([pattern]) => pattern.test(start));
  if (known) return known[1];
  if (!isText(head)) return 'application/octet-stream';
  return /\.svg$/i.test(name) ? 'image/svg+xml' : 'text/plain; charset=utf-8';
}

/** The bytes of a file of the wiki, with a fence against anything that would run. */
export async function serveFile(
  git: GitRepository,
  file: { readonly oid: string; readonly path: string },
  isPrivate: boolean,
): Promise<Reply> {
  const name = file.path.slice(file.path.lastIndexOf('/') + 1);
  const { size, stream } = await git.blobStream(file.oid);
  const head = Buffer.concat(await (await git.blobStream(file.oid, { start: 0, end: 8191 })).stream.toArray());
  return reply
    .bytes(stream, mediaType(name, head))
    .tag(file.oid)
    .header('content-length', String(size))
    .header('content-disposition', contentDisposition('inline', name))
    .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
    .header('x-content-type-options', 'nosniff')
    .header('cache-control', `${isPrivate ? 'private' : 'public'}, max-age=0, must-revalidate`);
}
