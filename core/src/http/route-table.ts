import { Router, type Found } from '@hapi/call';
import type { Lifecycle, Request, Server } from '@hapi/hapi';

interface Entry {
  readonly path: string;
  readonly handler: Lifecycle.Method;
  readonly isFallback: boolean;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/**
 * The routes of plugins, found by hapi's own router. hapi itself has one route for each method: it merges and checks the
 * settings of every route that it is given, a third of a millisecond each, and all of two thousand would have the same
 * (docs/decisions/0050).
 */
export class RouteTable {
  readonly #router = new Router<Entry>({ isCaseSensitive: true });

  add(method: string, path: string, handler: Lifecycle.Method): void {
    this.#router.add({ method, path }, { path, handler, isFallback: false });
  }

  /** Methods that some route answers on the path. */
  methodsOf(path: string): string[] {
    const matching = methods.filter((method) => {
      const match = this.#router.route(method, path);
      return !(match instanceof Error) && !match.route.isFallback;
    });
    return matching.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()]));
  }

  /** Lets the server answer by these routes; what none of them answers, `fallback` does. */
  serve(server: Server, fallback: Lifecycle.Method): void {
    // a page such as /{owner}/{path*} must not answer for an API that is not there
    for (const method of methods) {
      const path = '/api/{mortiseRest*}';
      this.#router.add({ method, path }, { path, handler: fallback, isFallback: true });
    }
    const router = this.#router;
    const answer: Lifecycle.Method = function dispatch(request, toolkit) {
      const match = router.route(request.method, request.path);
      if (match instanceof Error) {
        if (match.output.statusCode !== 404) throw match;
        return fallback.call(this, request, toolkit);
      }
      matches.set(request, match);
      return match.route.handler.call(this, request, toolkit);
    };
    for (const method of methods) server.route({ method, path: '/{mortiseRest*}', handler: answer });
    server.route({ method: '*', path: '/{mortiseRest*}', handler: fallback });
  }
}

const matches = new WeakMap<Request, Found<Entry>>();

/** The path of the route that answers the request, with its parameters: `/users/{name}`. */
export const routePath = (request: Request): string => matches.get(request)?.route.path ?? request.route.path;

/** What stands for the parameters of that path. */
export const routeParams = (request: Request): Record<string, string> => matches.get(request)?.params ?? {};
