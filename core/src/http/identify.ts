import { Problem, type Access, type AuthMethod, type AuthRequest, type AuthResult } from '@mortise/plugin-sdk';
import { isUnexpectedError } from '../plugin-errors/boundary.js';
import { t } from '../texts/index.js';
import { authRequestOf, type RequestContext } from './context.js';

const refused = Symbol('credentials refused');

/**
 * Asks the auth methods in their order who acts: the first that knows decides, nobody's request is anonymous. Promises
 * are made only where a method needs one: each costs a small request as much as finding its route.
 */
export function identify(
  context: RequestContext,
  { forbiddenAsUnauthorized }: Pick<Access, 'forbiddenAsUnauthorized'>,
): void | Promise<void> {
  const { kernel } = context;
  const given = kernel.options.actorOf?.((context.request as { app: unknown }).app);
  if (given) {
    context.actor = given;
    return;
  }
  const methods = kernel.authMethods(context.surface);
  const asking = ask(context, methods, 0, authRequestOf(context));
  return forbiddenAsUnauthorized && asking ? asking.catch(throwUnauthorized) : asking;
}

/** Methods throw 403 where the credentials are right and their account may not sign in. */
function throwUnauthorized(error: unknown): never {
  if (!Problem.is(error) || error.code !== 'forbidden') throw error;
  throw Object.assign(new Problem('unauthorized', error.text), { [refused]: true });
}

/** Somebody showed credentials and they were wrong: asking to sign in would only be refused again. */
export const isRefusedCredential = (error: unknown): boolean =>
  error instanceof Error && (error as { [refused]?: boolean })[refused] === true;

function ask(
  context: RequestContext,
  methods: readonly AuthMethod[],
  from: number,
  request: AuthRequest,
  failed: FailedMethods = {},
): void | Promise<void> {
  for (let at = from; at < methods.length; at++) {
    const method = methods[at]!;
    let result: AuthResult | Promise<AuthResult>;
    try {
      result = method.authenticate(request);
    } catch (error) {
      skipFailedMethod(method, request, error, failed);
      continue;
    }
    if (result instanceof Promise)
      return result
        .catch((error: unknown) => skipFailedMethod(method, request, error, failed))
        .then((known) => (settle(context, known) ? undefined : ask(context, methods, at + 1, request, failed)));
    if (settle(context, result)) return;
  }
  // what a program sent may have been for the method that failed: nobody is taken for a visitor for that
  if (failed.hasAny && context.surface !== 'page' && request.headers.authorization) throw signInUnavailable();
}

/** What is known of methods that threw. */
interface FailedMethods {
  hasAny?: boolean;
}

const signInUnavailable = (): Problem =>
  new Problem('unavailable', 'Signing in does not work at the moment. Try again later.', {
    text: t.later('error.signInFails'),
    headers: { 'retry-after': '10' },
  });

/** A method that throws is passed over, as long as the request has nothing for it. */
function skipFailedMethod(method: AuthMethod, request: AuthRequest, error: unknown, failed: FailedMethods): undefined {
  if (!isUnexpectedError(error)) throw error;
  failed.hasAny = true;
  if (isRecognized(method, request)) throw signInUnavailable();
}

function isRecognized(method: AuthMethod, request: AuthRequest): boolean {
  try {
    return method.recognizes?.(request) ?? false;
  } catch {
    return false;
  }
}

/** Is it told who acts? Throws for credentials that are wrong. */
function settle(context: RequestContext, result: AuthResult): boolean {
  if (result === undefined) return false;
  context.addHeaders(result.headers);
  if (!('actor' in result)) throw Object.assign(new Problem('unauthorized', result.refuse), { [refused]: true });
  context.actor = result.actor;
  return true;
}

/** Headers by which extension points remark on a request, for instance on deprecated parameters. */
export function addContributedHeaders(context: RequestContext): void {
  const contributions = context.kernel.responseHeaders.list();
  if (contributions.length === 0) return;
  const request = authRequestOf(context);
  for (const contribution of contributions) context.addHeaders(contribution.headers(request));
}

/** `WWW-Authenticate` of a 401: what the auth methods of the surface offer. */
export async function challenge(context: RequestContext): Promise<string | undefined> {
  const { kernel, surface } = context;
  let request: AuthRequest | undefined;
  const challenges: string[] = [];
  for (const { challenge: offered } of kernel.authMethods(surface)) {
    const told = typeof offered === 'function' ? await offered((request ??= authRequestOf(context))) : offered;
    if (told && (typeof offered === 'function' || surface === 'protocol')) challenges.push(told);
  }
  return challenges.length > 0 ? challenges.join(', ') : undefined;
}
