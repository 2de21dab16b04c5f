import { NotFound, serveDownload, type Reply, type RouteContext } from '@mortise/plugin-sdk';
import type { ObjectService } from '../services/object-service.js';

/** The content of an object, never as something that a browser would run. */
export async function objectBytes(
  objects: ObjectService,
  object: { readonly repositoryId: number; readonly oid: string; readonly size: number },
  context: RouteContext,
): Promise<Reply> {
  const { oid, size } = object;
  const { request } = context.raw;
  // As it is: clients count the bytes, some of them before they unpack, and large objects are rarely worth the work.
  request.info.acceptEncoding = 'identity';
  return serveDownload(
    {
      size,
      type: 'application/octet-stream',
      tag: oid,
      name: oid,
      policy: "default-src 'none'; sandbox",
      cacheControl: 'private, max-age=0, must-revalidate',
      async open(part) {
        const opened = await objects.open(object.repositoryId, oid, part);
        if (!opened) throw NotFound('LFS object');
        return opened.stream;
      },
    },
    request,
  );
}
