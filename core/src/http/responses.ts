import { Readable } from 'node:stream';
import type { ResponseObject } from '@hapi/hapi';
import { PreparedJson, Reply, WebPage, type Language, type Route } from '@mortise/plugin-sdk';
import { isValidElement, type VNode } from 'preact';
import type { RenderedPage } from '../web/index.js';
import { responseProblem } from './validation.js';
import type { RequestContext } from './context.js';
import { visitorCookie } from './csrf.js';
import { languageCookie, languageCookieAge, pageLanguage } from './language.js';
import { writeCookie } from './cookies.js';
import { pagingHeaders } from './paging.js';
import { securityHeaders } from './security.js';

const jsonType = 'application/json; charset=utf-8';
const htmlType = 'text/html; charset=utf-8';
/** What is not marked otherwise belongs to one person and is asked for again. */
const revalidate = 'max-age=0, private, must-revalidate';

/** Makes the response from what a handler gave; at once where nothing has to be waited for. */
export function answer(
  context: RequestContext,
  route: Route,
  result: unknown,
): ResponseObject | Promise<ResponseObject> {
  if (result instanceof Reply) return fromReply(context, route, result);
  if (result === undefined) return finish(context, context.toolkit.response().code(204));
  if (result instanceof WebPage) return htmlResponse(context, result);
  if (isValidElement(result))
    return htmlResponse(context, new WebPage({ title: context.kernel.site.name, body: result as VNode }));
  if (isResponse(context, result)) return finish(context, result);
  return jsonResponse(context, route, 200, result);
}

/** What the toolkit made for this request, for instance of a file. */
const isResponse = (context: RequestContext, result: unknown): result is ResponseObject =>
  typeof result === 'object' && result !== null && 'request' in result && result.request === context.request;

/** A page inside the shell. */
export async function htmlResponse(context: RequestContext, page: WebPage): Promise<ResponseObject> {
  const language = await pageLanguage(context);
  return pageResponse(context, await renderPage(context, page, language), language);
}

/** The page as it is sent to this visitor. */
export function renderPage(context: RequestContext, page: WebPage, language: Language): Promise<RenderedPage> {
  const { actor, method } = context;
  const path = method === 'GET' || method === 'HEAD' ? context.url : '/';
  return context.kernel.web.page(page, {
    actor,
    path,
    language,
    get csrf() {
      return context.csrf;
    },
  });
}

/** The answer with a page that was rendered in that language. */
export function pageResponse(context: RequestContext, made: RenderedPage, language: Language): ResponseObject {
  const response = context.toolkit.response(made.html).code(made.status);
  setHeader(response, 'content-type', htmlType);
  setHeader(response, 'content-language', language.tag);
  response.vary('accept-language,cookie');
  for (const [name, value] of Object.entries(made.headers)) setHeader(response, name.toLowerCase(), value);
  context.formTargets = made.formTargets;
  context.contentSources = made.contentSources;
  if (context.languageToSet)
    addCookie(context, response, languageCookie, context.languageToSet, { maxAge: languageCookieAge });
  return finish(context, response);
}

/** A JSON body. */
export function jsonResponse(
  context: RequestContext,
  route: Route | undefined,
  status: number,
  body: unknown,
): ResponseObject {
  const prepared = body instanceof PreparedJson ? body : undefined;
  if (route && context.kernel.options.validateResponses) {
    const fault = responseProblem(route, status, prepared ? prepared.value : body);
    if (fault) throw new Error(`the answer of ${route.method} ${route.path} breaks its declaration: ${fault}`);
  }
  const response = context.toolkit.response(prepared ? prepared.body : JSON.stringify(body)).code(status);
  setHeader(response, 'content-type', jsonType);
  return finish(context, response);
}

function fromReply(context: RequestContext, route: Route, given: Reply): ResponseObject {
  if (given.etag && isKnown(context, given)) return notModified(context, given);
  const response = bodyOf(context, route, given);
  for (const [name, value] of Object.entries(given.headers)) setHeader(response, name, value);
  if (given.total !== undefined) {
    const { kernel, request } = context;
    const headers = pagingHeaders(
      () => kernel.site.url(request.path),
      request.query as Record<string, unknown>,
      given.limit === undefined ? context.page : { ...context.page, limit: given.limit },
      given.total,
      given.extendedPaging,
    );
    for (const [name, value] of Object.entries(headers)) setHeader(response, name, value);
  }
  if (given.etag) response.etag(given.etag.value, { weak: given.etag.weak ?? false, vary: !given.etag.weak });
  for (const { name, value, options } of given.cookies) addCookie(context, response, name, value, options);
  return finish(context, response);
}

/** Does the client hold this answer already? A tag that compression lengthened counts as the same (RFC 9110, 13.1.2). */
function isKnown(context: RequestContext, { etag, status }: Reply): boolean {
  const held = context.headers['if-none-match'];
  if (
    !held ||
    (status !== 200 && status !== 206) ||
    (context.request.method !== 'get' && context.request.method !== 'head')
  )
    return false;
  if (held.trim() === '*') return true;
  return [...held.matchAll(/"([^"]*)"/g)].some(
    ([, value]) => value === etag!.value || value!.replace(/-(?:gzip|br|deflate)$/, '') === etag!.value,
  );
}

/** 304 without a body, also where a part was asked for; what was opened for the body is closed. */
function notModified(context: RequestContext, given: Reply): ResponseObject {
  if (given.body instanceof Readable) given.body.destroy();
  const response = context.toolkit.response().code(304);
  for (const [name, value] of Object.entries(given.headers))
    if (!name.startsWith('content-')) setHeader(response, name, value);
  setHeader(response, 'etag', `${given.etag!.weak ? 'W/' : ''}"${given.etag!.value}"`);
  return finish(context, response);
}

function bodyOf(context: RequestContext, route: Route, given: Reply): ResponseObject {
  const { body, status, headers } = given;
  if (body === undefined || body === null || status === 204 || status === 304)
    return context.toolkit.response().code(status);
  if (Buffer.isBuffer(body) || body instanceof Readable || (typeof body === 'string' && headers['content-type'])) {
    return context.toolkit.response(body).code(status);
  }
  return jsonResponse(context, route, status, body);
}

function addCookie(
  context: RequestContext,
  response: ResponseObject,
  name: string,
  value: string | null,
  options = {},
): void {
  const { kernel } = context;
  const text = writeCookie(name, value, options, kernel.cookieDefaults);
  const before = response.headers['set-cookie'] as string[] | undefined;
  (response.headers as Record<string, unknown>)['set-cookie'] = before ? [...before, text] : [text];
}

/** Sets a header without copying; keeps characters out that would end it. */
export function setHeader(response: ResponseObject, name: string, value: string | string[]): void {
  const headers = response.headers as Record<string, unknown>;
  if (Array.isArray(value)) headers[name] = value.map(clean);
  else headers[name] = name === 'location' ? cleanAddress(value) : clean(value);
}

const unclean = /[^\t\x20-\x7e\x80-\xff]/;
const clean = (value: string): string =>
  unclean.test(value) ? value.replace(/[\r\n\0]+/g, ' ').replace(/[^\t\x20-\x7e\x80-\xff]/g, '?') : value;
const cleanAddress = (value: string): string =>
  value.replace(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character));

/** What every answer carries. */
export function finish(context: RequestContext, response: ResponseObject): ResponseObject {
  const headers = response.headers as Record<string, unknown>;
  headers['x-request-id'] = context.requestId;
  headers['cache-control'] ??= revalidate;
  securityHeaders(context, headers);
  if (context.extraHeaders)
    for (const [name, value] of Object.entries(context.extraHeaders)) setHeader(response, name.toLowerCase(), value);
  const { kernel } = context;
  if (kernel.cors.enabled) {
    const allowed = kernel.cors.headers(context.headers.origin);
    if (allowed) for (const [name, value] of Object.entries(allowed)) headers[name] = value;
  }
  if (context.visitorToSet) addCookie(context, response, visitorCookie, context.visitorToSet);
  return response;
}
