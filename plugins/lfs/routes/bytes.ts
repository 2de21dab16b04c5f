import { NotFound, byteRange, reply, type Reply, type RouteContext } from '@mortise/plugin-sdk';
import type { ObjectService } from '../services/objects.js';

/** The content of an object, never as something that a browser would run. */
export async function objectBytes(
  objects: ObjectService,
  object: { readonly repositoryId: number; readonly oid: string; readonly size: number },
  context: RouteContext,
): Promise<Reply> {
  const { oid, size } = object;
  const condition = context.headers['if-range'];
  const part = condition && condition !== `"${oid}"` ? undefined : byteRange(context.headers.range, size);
  const { request } = context.raw;
  // Served here: the HTTP library would cut the part a second time.
  delete request.headers.range;
  // As it is: clients count the bytes, some of them before they unpack, and large objects are rarely worth the work.
  request.info.acceptEncoding = 'identity';
  const opened = await objects.open(object.repositoryId, oid, part);
  if (!opened) throw NotFound('LFS object');
  const answer = reply
    .bytes(opened.stream, 'application/octet-stream', part ? 206 : 200)
    .tag(oid)
    .header('accept-ranges', 'bytes')
    .header('content-length', String(part ? part.end - part.start + 1 : size))
    .header('content-disposition', `attachment; filename="${oid}"`)
    .header('content-security-policy', "default-src 'none'; sandbox")
    .header('x-content-type-options', 'nosniff')
    .header('cache-control', 'private, max-age=0, must-revalidate');
  if (part) answer.header('content-range', `bytes ${part.start}-${part.end}/${size}`);
  return answer;
}
