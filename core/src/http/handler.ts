import type { Lifecycle, Request, ResponseObject, ResponseToolkit } from '@hapi/hapi';
import {
  actOrigins,
  BadRequest,
  Forbidden,
  Problem,
  WebPage,
  type Actor,
  type Reply,
  type Route,
  type Surface,
} from '@mortise/plugin-sdk';
import type { Owned } from '../contracts.js';
import { SignInNeeded, accessCheck } from './access.js';
import { pageLanguage } from './language.js';
import { answer, pageResponse, renderPage } from './responses.js';
import { requestCheck } from './validation.js';
import { RequestContext } from './context.js';
import { staleForm, visitorCookie } from './csrf.js';
import { sendText } from './send-text.js';
import { failure } from './failures.js';
import { identify, addContributedHeaders } from './identify.js';
import type { HttpKernel } from './kernel.js';
import { NotForAll, VisitorPages } from './visitor-pages.js';
import { drain, closeIfUnread, readPayload } from './payload.js';
import { t } from '../texts/index.js';

/** Bytes of a form that is shown again though nobody is signed in. */
const maxKept = 256 * 1024;
const safe = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Credentials are checked whose failure is audited, or which may make an account. */
const checksCredentials = /^(basic|negotiate) /i;

const surfaceOf = (route: Route): Surface => route.surface ?? (route.path.startsWith('/api/') ? 'api' : 'page');

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
  const checksForgery = !route.noCsrf && route.method !== 'GET';
  const readsForm = checksForgery && surface === 'page' && !takesBody;
  const writesForm = surface === 'page' && takesBody;
  const isStatic = owner === 'core' && route.access.always === true && surface === 'protocol';

  const { ownCredentials } = route.access;

  const isFollowed = surface === 'protocol' && !route.access.always;
  const mayAskNothing = route.access.always === true && route.method === 'GET';

  const pages = route.isCachedForVisitors ? kernel.visitorPages : undefined;
  const { overload } = kernel;
  const visitorUrgency = overload && kernel.visitorUrgency(route.path);

  /** The page that all visitors get; undefined: it is no such page. */
  const visitorPage = async (context: RequestContext): Promise<ResponseObject | undefined> => {
    const language = await pageLanguage(context);
    const made = await pages!.find(context.url, language, async () => {
      // again, so that what decides on it is among what the page was made from
      await check(context);
      const page = await kernel.call(owner, what, async () => route.handler(context));
      if (!(page instanceof WebPage)) throw new NotForAll();
      const rendered = await renderPage(context, page, language);
      // a token for its forms was asked for
      if (rendered.status !== 200 || context.visitorToSet) throw new NotForAll();
      return rendered;
    });
    return made && pageResponse(context, made, language);
  };

  const handle = async (context: RequestContext) => {
    const { request } = context;
    const { req, res } = request.raw;
    if (isFollowed && !kernel.isReplaced) kernel.openConnections.track(req.socket, res);
    else if (kernel.stopping) res.shouldKeepAlive = false;
    let leave: (() => void) | undefined;
    try {
      refuseOddPaths(context.params);
      if (!isStatic) {
        const catching = mayAskNothing && isPlain(request) ? undefined : kernel.services.database?.syncVersions();
        if (catching) await catching;
        addContributedHeaders(context);
        const identifying = ownCredentials ? undefined : identify(context, route.access);
        if (identifying) await identifying;
        if (overload && !route.access.always)
          leave = await overload.enter(context.actor.kind === 'anonymous' ? visitorUrgency! : 'high');
      }
      const resolving = check(context);
      const elsewhere = resolving && (await resolving);
      if (elsewhere) return await answer(context, route, elsewhere);
      const writes = checksForgery && !safe.has(context.method);
      if (writes) refuseForeign(context);
      if ((takesBody || (writes && readsForm)) && !safe.has(context.method))
        context.payload = await readPayload(
          context,
          route,
          writes ? (fields) => refuseForged(context, fields.get('_csrf')?.[0]) : undefined,
        );
      if (writes) refuseForged(context, takenToken(context.payload));
      if (validate) validate(context);
      const shared = pages && VisitorPages.isFor(context) ? await visitorPage(context) : undefined;
      if (shared) return sendText(context, shared);
      const result = await kernel.call(owner, what, async () => route.handler(context));
      const response = answer(context, route, result);
      return sendText(context, response instanceof Promise ? await response : response);
    } catch (error) {
      if (writesForm && error instanceof SignInNeeded) await readUnsigned(context, route);
      if (route.method !== 'GET') await drain(context);
      const shaped = route.refusal && Problem.is(error) ? shapedRefusal(route, error, context.actor) : undefined;
      return await (shaped ? answer(context, route, shaped) : failure(context, error, what, owner));
    } finally {
      leave?.();
      closeIfUnread(context);
      void context.uploads?.dispose();
    }
  };
  return (request: Request, toolkit: ResponseToolkit) => {
    const context = new RequestContext(kernel, request, toolkit, surface, owner);
    const mayWrite = !safe.has(context.method) || checksCredentials.test(context.headers.authorization ?? '');
    if (!mayWrite) return handle(context);
    // hapi keeps it from here on: the socket does not know it any more when the client has gone
    void request.info.remoteAddress;
    return actOrigins.run(context, () => handle(context));
  };
}

/** As the protocol has it; headers of the refusal that the shape does not tell otherwise go with it. */
function shapedRefusal(route: Route, problem: Problem, actor: Actor): Reply | undefined {
  const shaped = route.refusal!(problem, actor);
  for (const [name, value] of Object.entries(problem.headers))
    if (shaped && !(name.toLowerCase() in shaped.headers)) shaped.header(name, value);
  return shaped;
}

/** What somebody sent who is not signed in any more is read only to be shown again: they may have written for hours. */
async function readUnsigned(context: RequestContext, route: Route): Promise<void> {
  if (context.kernel.csrf.isForeign(context.headers) || route.payload?.as !== 'form') return;
  const maxBytes = Math.min(route.payload.maxBytes ?? maxKept, maxKept);
  try {
    context.payload = await readPayload(context, { ...route, payload: { ...route.payload, maxBytes: maxBytes } });
  } catch {
    // then there is nothing to show
  }
}

/** Nothing in it says who asks, or for what in particular. */
const isPlain = ({ raw, headers }: Request): boolean =>
  !headers.authorization && !headers.cookie && !raw.req.url?.includes('?');

function refuseOddPaths(params: Readonly<Record<string, string>>): void {
  for (const name in params)
    if (params[name]?.includes('\0'))
      throw BadRequest('the address contains a NUL byte', { text: t.later('error.nulByte') });
}

/** The check asks who acted: what else the request carries, another method may have passed over. */
function refuseForeign(context: RequestContext): void {
  const { kernel, surface, actor } = context;
  if ((surface === 'page' || kernel.isAmbient(actor)) && kernel.csrf.isForeign(context.headers))
    throw Forbidden('the request comes from another site', { text: t.later('error.foreign') });
}

/** The form field `_csrf`, which is not shown to the handler. */
function takenToken(payload: unknown): unknown {
  if (typeof payload !== 'object' || payload === null || !Object.hasOwn(payload, '_csrf')) return undefined;
  const fields = payload as Record<string, unknown>;
  const token = fields._csrf;
  delete fields._csrf;
  return token;
}

/** Compares the token of the header or, without one, of the form. */
function refuseForged(context: RequestContext, ofForm: unknown): void {
  const { kernel, surface, actor } = context;
  const given = context.headers['x-csrf-token'] ?? ofForm;
  // clients of protocols know no token, their requests are held to their origin
  const needed = surface === 'page' || (surface === 'api' && kernel.isAmbient(actor));
  if (!needed || kernel.options.actorOf?.((context.request as { app: unknown }).app)) return;
  // programs that send forms as people do
  if (given === undefined && surface === 'page' && kernel.csrf.isOwn(context.headers)) return;
  if (!kernel.csrf.matches(given, actor, context.cookies[visitorCookie])) {
    throw staleForm();
  }
}
