import type { Lifecycle, ResponseObject } from '@hapi/hapi';
import type { RequestContext } from './context.js';

/** Below this hapi would not compress either. */
const small = 1024;

/**
 * Writes a text answer without hapi's marshalling and streams, where those have nothing to do: no tag to compare, no part
 * that was asked for, nothing to compress. Injected requests come this way too, so that tests see what clients get.
 */
export function sendText(context: RequestContext, response: ResponseObject): Lifecycle.ReturnValue {
  const { request, kernel } = context;
  const { source, headers } = response as { source: unknown; headers: Record<string, string | string[]> };
  if (
    (typeof source !== 'string' && !Buffer.isBuffer(source)) ||
    request.method === 'head' ||
    headers.etag ||
    context.headers.range !== undefined ||
    kernel.stopping
  )
    return response;
  const length = typeof source === 'string' ? Buffer.byteLength(source) : source.length;
  if (length >= small && request.info.acceptEncoding !== 'identity') return response;
  if (request.method !== 'get' && !request.raw.req.readableEnded) return response;
  headers['content-length'] = String(length);
  request.raw.res.writeHead(response.statusCode, headers).end(source);
  return context.toolkit.abandon;
}
