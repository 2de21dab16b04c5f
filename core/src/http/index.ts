import type { Server, ServerRoute } from '@hapi/hapi';
import type { Route } from '@mortise/plugin-sdk';
import type { HttpParts, HttpRoom, Owned } from '../contracts.js';
import { createDocuments } from '../api-docs/index.js';
import { createWeb } from '../web/index.js';
import { fallbackHandler } from './fallback.js';
import { routeHandler } from './handler.js';
import { HttpKernel, type HttpOptions, type HttpServices } from './kernel.js';
import { kernelRoutes } from './kernel-routes.js';
import { countRequests, tracedHandler } from './measures.js';
import { routeFaults } from './route-faults.js';
import { bareServer, cutSubPath, dropRangesOfHeads, shapeOwnErrors } from './server.js';

export * from './settings.js';
export type { HttpOptions, HttpServices } from './kernel.js';

/** Makes the HTTP room: a hapi server with one hapi plugin per Mortise plugin, so that each route knows its owner. */
export async function createHttp(
  parts: HttpParts,
  services: HttpServices,
  options: HttpOptions = {},
): Promise<HttpRoom> {
  const web = createWeb(parts, services);
  const kernel = new HttpKernel(parts, services, web, options);
  let routes: readonly Owned<Route>[] = [];
  const documents = createDocuments(() => routes, services, parts.log);
  const taken = new Set(parts.routes.map(({ value }) => `${value.method} ${value.path}`));
  // a plugin may answer at an address of the kernel, for instance with richer settings
  const own = kernelRoutes(kernel, parts, documents).filter((value) => !taken.has(`${value.method} ${value.path}`));
  routes = [...own.map((value) => ({ owner: 'core', value })), ...parts.routes];
  const faults = routeFaults(routes);
  if (faults.length > 0) throw new Error(`routes cannot be served:\n${faults.map((fault) => `- ${fault}`).join('\n')}`);

  const server = bareServer(services.settings, services.site.workDir, options);
  cutSubPath(kernel, server);
  dropRangesOfHeads(server);
  shapeOwnErrors(kernel, server);
  countRequests(kernel, server);
  await registerRoutes(kernel, server, routes);
  registerFallbacks(kernel, server);

  return {
    server,
    routes,
    listen: async () => {
      await server.start();
      return addressOf(server);
    },
    stop: async () => {
      kernel.stopping = true;
      await server.stop({ timeout: services.settings.server.GRACEFUL_HAMMER_TIME });
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

async function registerRoutes(kernel: HttpKernel, server: Server, routes: readonly Owned<Route>[]): Promise<void> {
  const byOwner = new Map<string, Owned<Route>[]>();
  for (const one of routes) byOwner.set(one.owner, [...(byOwner.get(one.owner) ?? []), one]);
  for (const [owner, owned] of byOwner) {
    await server.register({
      name: owner,
      register: (realm) => {
        for (const one of owned) realm.route(hapiRoute(kernel, one));
      },
    });
  }
}

function hapiRoute(kernel: HttpKernel, owned: Owned<Route>): ServerRoute {
  const { method, path } = owned.value;
  const handler = routeHandler(kernel, owned);
  const { tracing } = kernel.services;
  return { method, path, handler: tracing ? tracedHandler(tracing, owned.value, handler) : handler };
}

function registerFallbacks(kernel: HttpKernel, server: Server): void {
  const handler = fallbackHandler(kernel, server);
  const options = { app: { fallback: true } };
  // per method, because a page such as /{owner}/{repo}/{path*} must not answer for an API that is not there
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
    server.route({ method, path: '/api/{mortiseRest*}', handler, options });
  }
  server.route({ method: '*', path: '/{mortiseRest*}', handler, options });
}
