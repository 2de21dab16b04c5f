import type { Lifecycle } from '@hapi/hapi';
import { NotFound, Problem, type Reply, type Route, type Surface, type WebPage } from '@mortise/plugin-sdk';
import { answer, finish, setHeader } from './responses.js';
import { authRequestOf, RequestContext } from './context.js';
import { failure } from './failures.js';
import { identify, addContributedHeaders } from './identify.js';
import type { HttpKernel } from './kernel.js';
import type { RouteTable } from './route-table.js';
import { t } from '../texts/index.js';

/** Answers what no route does: 404, 405 with `Allow`, and OPTIONS (GEN-04, GEN-05). */
export function fallbackHandler(kernel: HttpKernel, routes: RouteTable): Lifecycle.Method {
  return async (request, toolkit) => {
    const surface: Surface = request.path === '/api' || request.path.startsWith('/api/') ? 'api' : 'page';
    const context = new RequestContext(kernel, request, toolkit, surface);
    try {
      const known = pathIsOdd(request.path) ? [] : routes.methodsOf(request.path);
      if (request.method === 'options' && (known.length > 0 || request.path === '*')) return options(context, known);
      addContributedHeaders(context);
      if (surface === 'page') await identify(context, {});
      if (known.length > 0) {
        throw new Problem('method_not_allowed', `The method ${request.method.toUpperCase()} is not allowed here.`, {
          text: t.later('error.method', { method: request.method.toUpperCase() }),
          headers: { allow: known.join(', ') },
        });
      }
      const page = surface === 'page' && request.method === 'get' ? await elsewhere(kernel, context) : undefined;
      if (page) return await answer(context, pageOfNoRoute, page);
      throw NotFound('There is nothing at this address.', { text: t.later('error.notFound') });
    } catch (error) {
      return failure(context, error, 'no route');
    }
  };
}

/** Stands for the route of an address that has none. */
const pageOfNoRoute: Route = { method: 'GET', path: '/{rest*}', access: { actor: 'anyone' }, handler: () => undefined };

/** What a plugin says at an address without a route. */
async function elsewhere(kernel: HttpKernel, context: RequestContext): Promise<Reply | WebPage | undefined> {
  const { path, actor } = context;
  const { query } = authRequestOf(context);
  for (const one of kernel.unknownAddresses.list()) {
    const owner = kernel.unknownAddresses.ownerOf(one) ?? 'core';
    const page = await kernel.call(owner, 'unknown address', () => one.answer({ actor, path, query }));
    if (page) return page;
  }
  return undefined;
}

function options(context: RequestContext, known: readonly string[]) {
  const response = context.toolkit.response().code(204);
  setHeader(response, 'allow', [...known, 'OPTIONS'].join(', '));
  const { cors } = context.kernel;
  if (cors.headers(context.headers.origin))
    for (const [name, value] of Object.entries(cors.preflight())) setHeader(response, name, value);
  return finish(context, response);
}

function pathIsOdd(path: string): boolean {
  try {
    return decodeURIComponent(path).includes('\0') || !path.startsWith('/');
  } catch {
    return true;
  }
}
