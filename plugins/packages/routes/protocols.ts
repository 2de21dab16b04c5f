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
import type { Account, OwnerQuota } from '@mortise/accounts/api';
import type { Readable } from 'node:stream';
import type { PackageAccess, PackageAccessMode, PackageFormat, PackageRequest, PackageRoute } from '../api.js';
import { withUploader } from '../contract/uploader.js';
import {
  noOwner,
  packageChallenge,
  packageRank,
  refuseUnmetRequirement,
  refusePublicOnly,
} from '../services/access.js';
import { lengthOf, readBody } from '../services/request-body.js';
import { visitorOf } from '../services/proxy/concurrency-limit.js';
import { RouteMatcher } from '../services/route-matcher.js';
import { registryRoutes, rootOf, type RegistryRoute } from './registry-routes.js';
import { protocolOwner } from './package-resource.js';

interface ProtocolDeps {
  readonly formats: PointReader<PackageFormat>;
  readonly access: PackageAccess;
  readonly ownerQuota: OwnerQuota;
  readonly site: Site;
}

const anyFormat = '/api/packages/{owner}/{format}/{path*}';
const methods: readonly HttpMethod[] = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'];

/** `.repo`: it begins in the last segment of the root. */
const isBeside = ({ path }: PackageRoute) => path.startsWith('.');

/** A format with its routes, ready to be asked. */
interface Registry {
  readonly format: PackageFormat;
  readonly routes: ReadonlyMap<PackageRoute, RegistryRoute>;
  readonly matcher: RouteMatcher;
  /** Segments of an address before the path of a route. */
  readonly depth: number;
}

function open(format: PackageFormat): Registry {
  const routes = registryRoutes(format);
  return {
    format,
    routes: new Map(routes.map((route) => [route.declared, route])),
    matcher: new RouteMatcher(format.routes),
    depth: rootOf(format).split('/').length - 1,
  };
}

/**
 * The doors of all registries, one per format and method, with the routes behind each; access is checked before the body
 * is read. A last one answers for spellings of a format in capitals, and for what is not there.
 */
export function protocolRoutes(deps: ProtocolDeps): readonly Route[] {
  const registries = new Map(deps.formats.list().map((format) => [format.key, open(format)]));
  const door = (method: HttpMethod, path: string, registryOf: (params: DoorParams) => Registry, inner?: Registry) =>
    defineRoute({
      method,
      path,
      surface: 'protocol',
      // scope and mode are those of the inner routes, whose refusals are 401 for the sake of clients
      access: { actor: 'anyone', resource: protocolOwner, forbiddenAsUnauthorized: true },
      ...(method === 'GET' ? {} : { payload: { as: 'stream' as const } }),
      ...(inner && {
        inner: [...inner.routes.values()].filter(
          (route) =>
            route.method === method && (isBeside(route.declared) ? route.path === path : path.endsWith('{path*}')),
        ),
        refusal: (problem: Problem, actor: Actor) => refusalOf(inner.format, problem, actor),
      }),
      handler: (context) => answer(deps, registryOf(context.params as DoorParams), context as RouteContext<Account>),
    });
  const own = [...registries.values()].flatMap((registry) =>
    [...new Set(registry.format.routes.map((route) => route.method))].map((method) =>
      door(method, `${rootOf(registry.format)}/{path*}`, () => registry, registry),
    ),
  );
  const beside = [...registries.values()].flatMap((registry) =>
    registry.format.routes
      .filter(isBeside)
      .map((route) => door(route.method, `${rootOf(registry.format)}${route.path}`, () => registry, registry)),
  );
  const known = ({ format = '' }: DoorParams): Registry => {
    const registry = registries.get(format.toLowerCase());
    if (!registry || registry.format.root) throw NotFound('Unknown package registry.');
    return registry;
  };
  return [...own, ...beside, ...methods.map((method) => door(method, anyFormat, known))];
}

interface DoorParams {
  readonly format?: string;
}

/** As clients of the format read it; a 401, and that there is no owner, are plain text unless the format says otherwise. */
function refusalOf(format: PackageFormat, problem: Problem, actor: Actor): Reply | undefined {
  const isPlain = problem.code === 'unauthorized' || problem.message === noOwner;
  return format.refusal?.(problem, actor) ?? (isPlain ? undefined : format.error?.(problem));
}

async function answer(
  { access, ownerQuota, site }: ProtocolDeps,
  { format, routes, matcher, depth }: Registry,
  context: RouteContext<Account>,
): Promise<unknown> {
  const { request } = context.raw;
  const method = request.method.toUpperCase();
  const segments = request.path.split('/').filter(Boolean);
  // what follows the root in its own segment: `rpm.repo`
  const beside = segments[depth - 1]?.slice(rootOf(format).split('/').at(-1)!.length);
  const path = !format.root && beside ? `/${beside}` : `/${segments.slice(depth).join('/')}`;
  const match = matcher.find(method, path);
  if (!match) throw NotFound('There is nothing at this address.');
  if ('allowed' in match)
    throw new Problem('method_not_allowed', `The method ${method} is not allowed here.`, {
      headers: { allow: match.allowed.join(', ') },
    });
  const { resource: owner, actor } = context;
  const route = routes.get(match.route)!;
  context.entered(route);
  const mode = await authorize(access, route, actor, owner);
  if (route.declared.needs === 'write' && (route.declared.body === 'stream' || route.declared.body === 'form'))
    await ownerQuota.check(owner.id, 'size:assets:packages:all', lengthOf(context.headers) ?? 0);
  const body = await readBody(route.declared, { stream: context.payload as Readable, headers: context.headers });
  const asked: PackageRequest = {
    method,
    owner,
    actor,
    mode,
    params: match.params,
    query: context.query as Record<string, string | undefined>,
    headers: context.headers,
    body,
    contentLength: lengthOf(context.headers),
    baseUrl: site.url(rootOf(format).replace('{owner}', encodeURIComponent(owner.name))),
    path,
    signal: context.signal,
  };
  const result = await withUploader(visitorOf(actor), async () => route.handler(asked));
  if (result instanceof Reply) return result;
  return result === undefined ? reply.text('') : reply.json(result);
}

/** A level that is too low is 401, so that clients ask for other credentials (reference: 1.3). */
async function authorize(
  access: PackageAccess,
  { declared: { needs } }: RegistryRoute,
  actor: Actor,
  owner: Account,
): Promise<PackageAccessMode> {
  if (needs === 'open') return access.mode(actor, owner);
  if (needs !== 'none' && !holdsScope(actor, 'package', needs))
    throw Unauthorized('The token does not have the package scope.', packageChallenge);
  refusePublicOnly(actor, owner);
  await refuseUnmetRequirement(access, actor, needs === 'write');
  const mode = await access.mode(actor, owner);
  // a sign-in tells strangers nothing of hidden owners either
  if (packageRank[mode] < packageRank[needs === 'none' ? 'read' : needs]) {
    throw Unauthorized(
      actor.kind === 'anonymous' ? 'Authentication required.' : 'These credentials do not allow this.',
      packageChallenge,
    );
  }
  return mode;
}
