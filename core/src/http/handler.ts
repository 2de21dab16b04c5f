import type { Lifecycle, Request, ResponseToolkit } from '@hapi/hapi';
import { BadRequest, Forbidden, type Route } from '@mortise/plugin-sdk';
import type { Owned } from '../contracts.js';
import { SignInNeeded, accessCheck } from './access.js';
import { answer } from './answers.js';
import { requestCheck } from './checks.js';
import { RequestContext, type Surface } from './context.js';
import { staleForm, visitorCookie } from './csrf.js';
import { send } from './direct.js';
import { failure } from './failures.js';
import { identify, remark } from './identify.js';
import type { HttpKernel } from './kernel.js';
import { drain, readPayload } from './payload.js';

/** Bytes of a form that is shown again though nobody is signed in. */
const mostKept = 256 * 1024;
const safe = new Set(['GET', 'HEAD', 'OPTIONS']);

export const surfaceOf = (route: Route): Surface => route.surface ?? (route.path.startsWith('/api/') ? 'api' : 'page');

/**
 * The life of a request on one route: who acts, may they, is it well-formed, then the plugin's handler. One function
 * instead of hapi's extension points, because each of those costs every request.
 */
export function routeHandler(kernel: HttpKernel, { owner, value: route }: Owned<Route>): Lifecycle.Method {
  const surface = surfaceOf(route);
  const what = `${route.method} ${route.path}`;
  const check = accessCheck(route);
  const validate = requestCheck(route);
  const takesBody = route.method !== 'GET' && (route.payload !== undefined || route.request?.payload !== undefined);
  const needsCsrf = surface !== 'protocol' && !route.noCsrf && route.method !== 'GET';
  const readsForm = needsCsrf && surface === 'page' && !takesBody;
  const writesForm = surface === 'page' && takesBody;
  const isStatic = owner === 'core' && route.access.always === true && surface === 'protocol';

  const aboutRepository = route.path.includes('{repo');
  const { overload } = kernel;
  const enter = (context: RequestContext) =>
    overload!.enter(context.actor.kind !== 'anonymous' ? 'high' : aboutRepository ? 'low' : 'normal');

  return async (request: Request, toolkit: ResponseToolkit) => {
    const context = new RequestContext(kernel, request, toolkit, surface);
    let leave: (() => void) | undefined;
    try {
      refuseOddPaths(context.params);
      if (!isStatic) {
        remark(context);
        const identifying = identify(context);
        if (identifying) await identifying;
        if (overload && !route.access.always) leave = await enter(context);
      }
      const resolving = check(context);
      const elsewhere = resolving && (await resolving);
      if (elsewhere) return await answer(context, route, elsewhere);
      const writes = needsCsrf && !safe.has(context.method);
      if (writes) refuseForeign(context);
      if ((takesBody || (writes && readsForm)) && !safe.has(context.method))
        context.payload = await readPayload(context, route);
      if (writes) refuseForged(context);
      if (validate) validate(context);
      const result = await kernel.call(owner, what, async () => route.handler(context));
      const response = answer(context, route, result);
      return send(context, response instanceof Promise ? await response : response);
    } catch (error) {
      if (writesForm && error instanceof SignInNeeded) await readUnsigned(context, route);
      if (route.method !== 'GET') await drain(context);
      return failure(context, error, what);
    } finally {
      leave?.();
    }
  };
}

/** What somebody sent who is not signed in any more is read only to be shown again: they may have written for hours. */
async function readUnsigned(context: RequestContext, route: Route): Promise<void> {
  if (context.kernel.csrf.isForeign(context.headers) || route.payload?.as !== 'form') return;
  const most = Math.min(route.payload.maxBytes ?? mostKept, mostKept);
  try {
    context.payload = await readPayload(context, { ...route, payload: { ...route.payload, maxBytes: most } });
  } catch {
    // then there is nothing to show
  }
}

function refuseOddPaths(params: Readonly<Record<string, string>>): void {
  for (const name in params) if (params[name]?.includes('\0')) throw BadRequest('the address contains a NUL byte');
}

/** Methods whose credential the browser sends by itself. */
const ambient = (context: RequestContext): boolean =>
  context.surface === 'page' ||
  (context.actor.kind !== 'anonymous' &&
    !context.headers.authorization &&
    !('token' in context.query) &&
    !('access_token' in context.query));

function refuseForeign(context: RequestContext): void {
  if (ambient(context) && context.kernel.csrf.isForeign(context.headers))
    throw Forbidden('the request comes from another site');
}

/** Compares the token of the header or the form field `_csrf`; the field is not shown to the handler. */
function refuseForged(context: RequestContext): void {
  const body = context.payload as Record<string, unknown> | undefined;
  let given: unknown = context.headers['x-csrf-token'];
  if (body && typeof body === 'object' && Object.hasOwn(body, '_csrf')) {
    given ??= body._csrf;
    delete body._csrf;
  }
  const needed = context.surface === 'page' || (context.actor.method === 'session' && ambient(context));
  if (!needed || context.kernel.options.actorOf?.((context.request as { app: unknown }).app)) return;
  if (!context.kernel.csrf.matches(given, context.actor, context.cookies[visitorCookie])) {
    throw Forbidden(staleForm);
  }
}
