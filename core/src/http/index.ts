import { replacedDrainMs } from './drain-times.js';
import type { Server } from '@hapi/hapi';
import type { Route } from '@mortise/plugin-sdk';
import type { HttpDeps, ManagedHttp, Owned } from '../contracts.js';
import { createDocuments } from '../api-docs/index.js';
import { StartError } from '../plugins/errors.js';
import { checkRoutes } from '../registry/check-routes.js';
import { createWeb } from '../web/index.js';
import { fallbackHandler } from './fallback.js';
import { routeHandler } from './handler.js';
import { RouteTable } from './route-table.js';
import { HttpKernel, type HttpOptions, type HttpServices } from './kernel.js';
import { kernelRoutes } from './kernel-routes.js';
import { publicFileRoutes } from './public-files.js';
import { securityTxtRoutes } from './security-txt.js';
import { recordRequestMetrics, tracedHandler } from './http-metrics.js';
import { socketRoute, Sockets } from './sockets.js';
import { ProxyHeaders } from './proxy-protocol.js';
import { Https } from './https.js';
import { bareServer, normalizeAddresses, shapeOwnErrors } from './server.js';

export * from './settings.js';
export type { HttpOptions, HttpServices } from './kernel.js';

/** Makes the HTTP module: a hapi server that answers by the routes of the plugins. */
export async function createHttp(
  deps: HttpDeps,
  services: HttpServices,
  options: HttpOptions = {},
): Promise<ManagedHttp> {
  const web = createWeb(deps, services);
  const kernel = new HttpKernel(deps, services, web, options);
  let routes: readonly Owned<Route>[] = [];
  const documents = createDocuments(
    () => routes,
    services,
    deps.log,
    () => kernel.authMethods('api').some(({ key }) => key === 'basic'),
  );
  const live = services.channels?.isUsed ? [socketRoute] : [];
  const own = [
    ...kernelRoutes(kernel, deps, documents),
    ...securityTxtRoutes(kernel),
    ...publicFileRoutes(kernel),
    ...live,
  ].map((value) => ({
    owner: 'core',
    value,
  }));
  routes = [...own, ...deps.routes];
  const problems = checkRoutes(routes, deps.points);
  if (problems.length > 0) throw new StartError(problems);

  const server = bareServer(services.settings, options);
  const { USE_PROXY_PROTOCOL, PROXY_PROTOCOL_TLS_BRIDGING, PROTOCOL } = services.settings.server;
  if (USE_PROXY_PROTOCOL)
    new ProxyHeaders(services.settings.server, kernel.clients, deps.log).attachTo(server.listener, {
      isTls: PROTOCOL === 'https',
      isWithinTls: PROXY_PROTOCOL_TLS_BRIDGING,
    });
  normalizeAddresses(kernel, server);
  shapeOwnErrors(kernel, server);
  recordRequestMetrics(kernel, server);
  const table = routeTable(kernel, routes);
  table.serve(server, fallbackHandler(kernel, table));
  const https = PROTOCOL === 'https' ? new Https(kernel, deps, server) : undefined;
  const sockets = services.channels?.isUsed ? new Sockets(kernel, server, services.channels) : undefined;

  return {
    server,
    routes,
    listen: async () => {
      await https?.start();
      await server.start();
      kernel.uploads.start();
      return addressOf(server);
    },
    stop: async (isReplaced = false) => {
      kernel.stopping = true;
      kernel.isReplaced = isReplaced;
      sockets?.stop();
      await https?.stop();
      const { GRACEFUL_HAMMER_TIME } = services.settings.server;
      const timeoutMs = isReplaced ? Math.max(replacedDrainMs, GRACEFUL_HAMMER_TIME) : GRACEFUL_HAMMER_TIME;
      const began = Date.now();
      if (server.info.started) await kernel.openConnections.drain(server.listener, timeoutMs, isReplaced);
      await server.stop({ timeout: Math.max(1, timeoutMs - (Date.now() - began)) });
      await kernel.uploads.stop();
    },
    inject: (request) => server.inject(request),
  };
}

/** Where the server can be reached from this machine. */
function addressOf({ info }: Server): string {
  const { address, port, protocol } = info;
  const host =
    address === '0.0.0.0' || address === '::' || !address
      ? '127.0.0.1'
      : address.includes(':')
        ? `[${address}]`
        : address;
  return `${protocol}://${host}:${port}`;
}

function routeTable(kernel: HttpKernel, routes: readonly Owned<Route>[]): RouteTable {
  const table = new RouteTable();
  const { tracing } = kernel.services;
  for (const owned of routes) {
    const { method, path } = owned.value;
    const handler = routeHandler(kernel, owned);
    table.add(method, path, tracing ? tracedHandler(tracing, owned.value, handler) : handler);
  }
  return table;
}
