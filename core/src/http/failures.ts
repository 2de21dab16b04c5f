import type { ResponseObject } from '@hapi/hapi';
import { SignInNeeded } from './access.js';
import { submittedTexts } from '../web/index.js';
import { finish, htmlResponse, jsonResponse, setHeader } from './responses.js';
import type { RequestContext } from './context.js';
import { inLanguage, textOf } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';
import { isStaleForm } from './csrf.js';
import { pageLanguage } from './language.js';
import { challenge, isRefusedCredential } from './identify.js';
import { refusalOf, type Refusal } from './problems.js';

/** Turns whatever was thrown into an answer of the right shape for who asked (ERR-20). */
export async function failure(
  context: RequestContext,
  thrown: unknown,
  what: string,
  owner = 'core',
): Promise<ResponseObject> {
  const { kernel } = context;
  if (thrown instanceof SignInNeeded) return toSignIn(context);
  let refusal = refusalOf(thrown);
  if (refusal.fault) {
    // who hung up needs no answer, and nobody needs to be woken for it
    if (context.request.raw.res.destroyed)
      kernel.log.debug('client went away', { requestId: context.requestId, route: what });
    else {
      const plugin = kernel.pluginErrors?.responsiblePlugin(thrown, owner) ?? owner;
      kernel.log.error(refusal.message, {
        event: 'http.failed',
        plugin,
        requestId: context.requestId,
        route: what,
        stack: thrown instanceof Error ? thrown.stack : undefined,
      });
      kernel.pluginErrors?.request(plugin, what, thrown);
    }
    // what an engine says of itself (addresses, paths, quotas) is for the log; a defect may be told to administrators
    const isDefect = refusal.status === 500;
    if (isDefect && (context.actor.isAdmin || kernel.options.validateResponses))
      refusal = { ...refusal, text: refusal.message };
    else refusal = { ...refusal, message: refusal.visible ?? refusal.message };
  }
  const response = await shaped(context, refusal, isRefusedCredential(thrown));
  for (const [name, value] of Object.entries(refusal.headers)) setHeader(response, name.toLowerCase(), value);
  if (refusal.status === 401 && !response.headers['www-authenticate']) {
    const offered = await challenge(context);
    if (offered) setHeader(response, 'www-authenticate', offered);
  }
  return response;
}

async function shaped(context: RequestContext, refusal: Refusal, isFinal: boolean): Promise<ResponseObject> {
  const { kernel, surface } = context;
  const accept = context.headers.accept ?? '';
  if (
    surface === 'api' ||
    (surface === 'page' && accept.includes('application/json') && !accept.includes('text/html'))
  ) {
    return jsonResponse(context, undefined, refusal.status, {
      // scripts of our own pages show it to the visitor
      message:
        surface === 'page' ? inLanguage(await pageLanguage(context), () => textOf(refusal.text)) : refusal.message,
      url: kernel.viewerUrl,
      ...refusal.fields,
    });
  }
  if (surface === 'protocol') {
    const response = context.toolkit.response(`${refusal.message}\n`).code(refusal.status);
    setHeader(response, 'content-type', 'text/plain; charset=utf-8');
    return finish(context, response);
  }
  if (refusal.status === 401 && context.actor.kind === 'anonymous' && !isFinal) return toSignIn(context);
  const more = {
    submitted: submittedTexts(context.payload),
    ...(isStaleForm(refusal) && { title: t.later('error.titleStaleForm') }),
  };
  return htmlResponse(context, kernel.web.errorPage(refusal.status, refusal.text, context.requestId, more));
}

/** 303 to the sign-in page, which leads back; who wrote something sees it first. */
async function toSignIn(context: RequestContext): Promise<ResponseObject> {
  const { kernel } = context;
  const submitted = submittedTexts(context.payload);
  if (submitted.length > 0) {
    const message = t.later('error.signedOut');
    const signIn = kernel.site.path(`/user/login${backTo(formPage(context))}`);
    return htmlResponse(context, kernel.web.errorPage(401, message, context.requestId, { submitted, signIn }));
  }
  const reading = context.method === 'GET' || context.method === 'HEAD';
  // a costly file is asked for by browsers, which would show a box of their own
  const offered = context.surface === 'page' ? await challenge(context) : undefined;
  const back = backTo(reading && context.url !== '/' ? kernel.site.path(context.url) : '');
  if (offered) {
    const signIn = kernel.site.path(`/user/login${back}`);
    const page = kernel.web.errorPage(401, t.later('error.signIn'), context.requestId, { signIn });
    const response = await htmlResponse(context, page);
    setHeader(response, 'www-authenticate', offered);
    return response;
  }
  const response = context.toolkit.response().code(303);
  setHeader(response, 'location', kernel.site.path(`/user/login${back}`));
  return finish(context, response);
}

const backTo = (path: string): string => (path ? `?redirect_to=${encodeURIComponent(path)}` : '');

/** Path of the page whose form was sent; empty where the browser does not tell. */
function formPage({ headers }: RequestContext): string {
  if (!headers.referer || !URL.canParse(headers.referer)) return '';
  const { host, pathname, search } = new URL(headers.referer);
  return host === headers.host ? pathname + search : '';
}
