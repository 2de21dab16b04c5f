import {
  Forbidden,
  holdsScope,
  Problem,
  Reply,
  Unauthorized,
  type Access,
  type Route,
  type TokenCategory,
} from '@mortise/plugin-sdk';
import type { RequestContext } from './context.js';
import { routePath } from './route-table.js';
import { t } from '../texts/index.js';

/** Sends a person who is not signed in to the sign-in page. No Problem, because those are told apart by their shape. */
export class SignInNeeded extends Error {}

const reading = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Checks what a route declares, in the order of the specification; gives a reply when the resource was renamed. */
type AccessCheck = (context: RequestContext) => Promise<Reply | undefined> | undefined;

/** Makes the check of one route; what can be decided now is not decided per request. */
export function accessCheck(route: Route): AccessCheck {
  const { access } = route;
  const categories = categoriesOf(access);
  const level = access.level ?? (reading.has(route.method) ? 'read' : 'write');
  const required = categories.map((category) => `${level}:${category}`).join(',');
  const resource = access.resource;

  return (context) => {
    const { actor } = context;
    if (actor.kind === 'anonymous') {
      refuseWithoutSignIn(context, access);
      if (access.actor !== 'anyone') return unsigned(context, access);
    }
    if (access.actor === 'admin' && !actor.isAdmin)
      throw Forbidden('only a site administrator may do this', { text: t.later('error.adminOnly') });
    if (categories.length > 0 && actor.scopes) {
      const wanted = route.method === '*' ? (access.level ?? (reading.has(context.method) ? 'read' : 'write')) : level;
      for (const category of categories) {
        // TOK-14: the refusal names what is needed and what is there
        if (!holdsScope(actor, category, wanted))
          throw Forbidden(
            `The token does not have a required scope: required=[${required}], present=[${present(actor.scopes)}]`,
          );
      }
    }
    if (access.noPublicOnly && actor.publicOnly) throw Forbidden('A public-only token cannot access this.');
    return resource ? resolve(context, access, resource.id) : undefined;
  };
}

const categoriesOf = (access: Access): readonly TokenCategory[] =>
  access.scope === undefined ? [] : typeof access.scope === 'string' ? [access.scope] : access.scope;

function present(scopes: Readonly<Partial<Record<TokenCategory, string>>>): string {
  return Object.entries(scopes)
    .filter(([, level]) => level !== 'none')
    .map(([category, level]) => `${level}:${category}`)
    .join(',');
}

function refuseWithoutSignIn(context: RequestContext, access: Access): void {
  const required = context.kernel.settings.service.REQUIRE_SIGNIN_VIEW;
  if (required !== 'false' && !access.always) {
    if (required === 'true') {
      if (context.surface === 'api') throw Forbidden('Only signed in user is allowed to call APIs.');
      throw context.surface === 'page' || access.expensive ? new SignInNeeded() : Unauthorized();
    }
    // GEN-13: raw files and archives are asked for by browsers as well, so they are sent to the sign-in page too
    if (access.expensive && context.surface !== 'api') throw new SignInNeeded();
  }
}

/** Nobody is signed in where somebody must be; what is hidden from everybody is told to be missing all the same. */
async function unsigned(context: RequestContext, access: Access): Promise<Reply | undefined> {
  if (context.surface === 'page') throw new SignInNeeded();
  const id = access.actor === 'user' ? access.resource?.id : undefined;
  const signInFirst = id === undefined || (access.signInFirst ?? !context.kernel.resources.get(id)?.beforeSignIn);
  if (!signInFirst) {
    const moved = await resolve(context, access, id);
    if (moved) return moved;
  }
  throw Unauthorized();
}

async function resolve(context: RequestContext, access: Access, id: string): Promise<Reply | undefined> {
  const resolver = context.kernel.resources.get(id);
  if (!resolver) throw new Error(`no plugin resolves the resource ${id}`);
  const { actor, params, method, url, surface } = context;
  const route = routePath(context.request);
  try {
    const resource = await resolver.resolve({ actor, params, access, method, url, route, surface });
    if (resource instanceof Reply) return resource;
    context.resource = resource;
    return undefined;
  } catch (error) {
    throw access.noSignIn ? refusedOf(error) : error;
  }
}

/** Signing in could help, but is not asked for. */
const refusedOf = (error: unknown): unknown =>
  Problem.is(error) && error.code === 'unauthorized' ? Forbidden(error.text) : error;
