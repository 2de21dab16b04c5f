import type { Server as HttpServer } from 'node:http';
import { constants, createBrotliCompress } from 'node:zlib';
import { server as makeServer, type Lifecycle, type Server, type ServerOptions } from '@hapi/hapi';
import { noteRequestsRead } from '@mortise/plugin-sdk/host';
import type { HttpKernel, HttpOptions } from './kernel.js';
import { RequestContext } from './context.js';
import { continueWhenRead } from './expect-continue.js';
import { failure } from './failures.js';
import { limitPipelining } from './pipelining.js';
import type { HttpSettings } from './settings.js';

/** A hapi server with everything off that nobody asked for. */
export function bareServer(settings: HttpSettings, options: HttpOptions): Server {
  const { server } = settings;
  const configuration: ServerOptions = {
    port: options.port ?? server.HTTP_PORT,
    address: options.address ?? server.HTTP_ADDR,
    router: { stripTrailingSlash: true },
    debug: false,
    compression: server.ENABLE_GZIP ? { minBytes: 1024 } : false,
    // packages, layers, large files: mostly packed already, and to pack them again takes forty times the time of sending them
    mime: { override: { 'application/octet-stream': { compressible: false } } },
    routes: {
      // bodies are read after the access checks, see payload.ts
      payload: { parse: false, output: 'stream', maxBytes: Number.MAX_SAFE_INTEGER, timeout: false },
      state: { parse: false, failAction: 'ignore' },
      cache: false,
      timeout: { socket: false, server: false },
    },
    // its certificate comes before the port is opened, see certificates.ts
    ...(server.PROTOCOL === 'https' ? { tls: {} } : {}),
  };
  const made = makeServer(configuration);
  // pushes and uploads take as long as they take; headers must come at once
  made.listener.requestTimeout = 0;
  made.listener.headersTimeout = 60_000;
  made.listener.keepAliveTimeout = 75_000;
  limitPipelining(made.listener as HttpServer);
  made.listener.prependListener('request', noteRequestsRead);
  continueWhenRead(made.listener as HttpServer);
  if (server.ENABLE_GZIP) {
    // better than gzip at the same time; higher levels are for files that are packed once
    made.encoder('br', () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }));
  }
  return made;
}

/** Errors that hapi itself makes (odd addresses, bad ranges) get our shape. */
export function shapeOwnErrors(kernel: HttpKernel, server: Server): void {
  const onPreResponse: Lifecycle.Method = (request, toolkit) => {
    const { response } = request;
    if (!('isBoom' in response) || !response.isBoom) return toolkit.continue;
    const surface = request.path.startsWith('/api/') ? 'api' : 'page';
    return failure(new RequestContext(kernel, request, toolkit, surface), response, 'server');
  };
  server.ext('onPreResponse', onPreResponse);
}

/**
 * What an address means before it is routed: without the sub-path of ROOT_URL, and `/api//packages` is `/api/packages`, since
 * clients put together addresses from parts. One extension point that looks at texts, because every request pays for each
 * point, and for `request.url`, which hapi parses when it is first read.
 */
export function normalizeAddresses(kernel: HttpKernel, server: Server): void {
  server.ext('onRequest', (request, toolkit) => {
    const given = request.raw.req.url ?? '/';
    const inside = kernel.withoutBase(given);
    if (inside !== given) request.setUrl(inside, true);
    if (request.path.includes('//')) {
      const { pathname, search } = request.url;
      request.setUrl(pathname.replace(/\/{2,}/g, '/') + search, true);
    }
    // a range means nothing with HEAD, whoever serves the bytes (RFC 9110, 14.2)
    if (request.method === 'head') delete request.headers.range;
    return toolkit.continue;
  });
}
