import { Problem } from '@mortise/plugin-sdk';
import { authRequestOf, type RequestContext } from './context.js';

/** Asks the auth methods in their order who acts: the first that knows decides, nobody's request is anonymous. */
export async function identify(context: RequestContext): Promise<void> {
  const { kernel } = context;
  const given = kernel.options.actorOf?.((context.request as { app: unknown }).app);
  if (given) {
    context.actor = given;
    return;
  }
  const methods = kernel.authMethods(context.surface);
  if (methods.length === 0) return;
  const request = authRequestOf(context);
  for (const method of methods) {
    const result = await method.authenticate(request);
    if (result === undefined) continue;
    context.addHeaders(result.headers);
    if ('actor' in result) {
      context.actor = result.actor;
      return;
    }
    throw new Problem('unauthorized', result.refuse);
  }
}

/** Headers by which extension points remark on a request, for instance on deprecated parameters. */
export function remark(context: RequestContext): void {
  const contributions = context.kernel.responseHeaders.list();
  if (contributions.length === 0) return;
  const request = authRequestOf(context);
  for (const contribution of contributions) context.addHeaders(contribution.headers(request));
}

/** `WWW-Authenticate` of a 401 for clients that are no browsers. */
export function challenge(context: RequestContext): string | undefined {
  const challenges = context.kernel.authMethods('protocol').flatMap((method) => method.challenge ?? []);
  return challenges.length > 0 ? challenges.join(', ') : undefined;
}
