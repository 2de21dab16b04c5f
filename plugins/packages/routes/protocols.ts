import {
  defineRoute,
  holdsScope,
  NotFound,
  Problem,
  Reply,
  reply,
  Unauthorized,
  type Actor,
  type HttpMethod,
  type PointReader,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { Readable } from 'node:stream';
import type { PackageAccess, PackageAccessMode, PackageFormat, PackageRoute } from '../api.js';
import { packageRank, refusePublicOnly } from '../services/access.js';
import { lengthOf, readBody } from '../services/body.js';
import { RouteMatcher } from '../services/route-matcher.js';
import { protocolOwner } from './resources.js';

export interface ProtocolParts {
  readonly formats: PointReader<PackageFormat>;
  readonly access: PackageAccess;
  readonly site: Site;
}

const path = '/api/packages/{owner}/{format}/{path*}';
const methods: readonly HttpMethod[] = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'];

/** The door of all registries: finds format and route, checks access before the body is read, shapes refusals. */
export function protocolRoutes(parts: ProtocolParts): readonly Route[] {
  const matchers = new Map<string, RouteMatcher>();
  const matcherOf = (format: PackageFormat) => {
    let matcher = matchers.get(format.key);
    if (!matcher) matchers.set(format.key, (matcher = new RouteMatcher(format.routes)));
    return matcher;
  };
  return methods.map((method) =>
    defineRoute({
      method,
      path,
      surface: 'protocol',
      // scope and mode follow from the registry's own route, see below
      access: { actor: 'anyone', resource: protocolOwner },
      ...(method === 'GET' ? {} : { payload: { as: 'stream' as const } }),
      handler: (context) => serve(parts, matcherOf, context),
    }),
  );
}

async function serve(
  parts: ProtocolParts,
  matcherOf: (format: PackageFormat) => RouteMatcher,
  context: RouteContext<Account, { readonly format: string }>,
): Promise<unknown> {
  const format = parts.formats.get(context.params.format.toLowerCase());
  if (!format) throw NotFound('Unknown package registry.');
  try {
    return await answer(parts, format, matcherOf(format), context);
  } catch (error) {
    if (!Problem.is(error) || error.code === 'unauthorized' || !format.error) throw error;
    const shaped = format.error(error);
    for (const [name, value] of Object.entries(error.headers)) shaped.header(name, value);
    return shaped;
  }
}

async function answer(
  { access, site }: ProtocolParts,
  format: PackageFormat,
  matcher: RouteMatcher,
  context: RouteContext<Account>,
): Promise<unknown> {
  const { request } = context.raw;
  const method = request.method.toUpperCase();
  const segments = request.path.split('/').filter(Boolean).slice(4);
  const match = matcher.find(method, `/${segments.join('/')}`);
  if (!match) throw NotFound('There is nothing at this address.');
  if ('allowed' in match)
    throw new Problem('method_not_allowed', `The method ${method} is not allowed here.`, {
      headers: { allow: match.allowed.join(', ') },
    });
  const { resource: owner, actor } = context;
  const mode = await authorize(access, match.route, actor, owner);
  const body = await readBody(match.route, { stream: context.payload as Readable, headers: context.headers });
  const result = await match.route.handler({
    method,
    owner,
    actor,
    mode,
    params: match.params,
    query: context.query as Record<string, string | undefined>,
    headers: context.headers,
    body,
    contentLength: lengthOf(context.headers),
    baseUrl: site.url(`/api/packages/${encodeURIComponent(owner.name)}/${format.key}`),
    signal: context.signal,
  });
  if (result instanceof Reply) return result;
  return result === undefined ? reply.text('') : reply.json(result);
}

const challenge = { headers: { 'www-authenticate': 'Basic realm="Mortise Package API"' } };

/** A level that is too low is 401, so that clients ask for other credentials (reference: 1.3). */
async function authorize(
  access: PackageAccess,
  { needs }: PackageRoute,
  actor: Actor,
  owner: Account,
): Promise<PackageAccessMode> {
  if (needs === 'none') return access.mode(actor, owner);
  if (!holdsScope(actor, 'package', needs)) throw Unauthorized('The token does not have the package scope.', challenge);
  refusePublicOnly(actor, owner);
  const mode = await access.mode(actor, owner);
  if (packageRank[mode] < packageRank[needs]) {
    throw Unauthorized(
      actor.kind === 'anonymous' ? 'Authentication required.' : 'These credentials do not allow this.',
      challenge,
    );
  }
  return mode;
}
