import type { Readable } from 'node:stream';
import { Forbidden, NotFound, TooLarge, Unauthorized, type Actor } from '@mortise/plugin-sdk';
import type { PackageRequest, PackageRoute, PackageStore } from '@mortise/packages/api';
import type { Registry } from '../services/registry.js';
import { both, nameOf } from './package-name.js';

interface ClientRouteDeps {
  readonly registry: Registry;
  readonly store: PackageStore;
}

/** A whole tree of dependencies; the answer does not depend on it. */
const maxAudit = 32 * 1024 * 1024;
const maxListed = 1000;
/** Refusal of changes to maintainers through the client. */
export const permissionNames = 'Who may publish is said by the rights on the owner of the package.';

function signedIn(actor: Actor): Actor {
  if (actor.kind === 'anonymous') throw Unauthorized('Authentication required.');
  return actor;
}

/** What clients ask beside packages (reference: 8.5). */
export function clientRoutes(deps: ClientRouteDeps): readonly PackageRoute[] {
  const { registry } = deps;
  return [
    { method: 'GET', path: '/-/ping', needs: 'read', handler: () => ({}) },
    {
      method: 'GET',
      path: '/-/whoami',
      needs: 'read',
      handler: ({ actor }) => ({ username: signedIn(actor).name }),
    },
    {
      method: 'GET',
      path: '/-/npm/v1/user',
      needs: 'read',
      handler: ({ actor }) => ({ name: signedIn(actor).name, email: '', tfa: null }),
    },
    { method: 'GET', path: '/-/npm/v1/tokens', needs: 'read', handler: () => ({ objects: [], urls: {} }) },
    {
      method: 'POST',
      path: '/-/npm/v1/tokens',
      needs: 'read',
      body: 'none',
      handler: () => {
        throw Forbidden('Access tokens are made in the settings of the account.');
      },
    },
    {
      method: 'PUT',
      path: '/-/user/org.couchdb.user:{user}',
      needs: 'none',
      body: 'none',
      summary: 'Refuses `npm login`, and says why',
      handler: () => {
        throw Forbidden('Sign in with an access token, which is made in the settings of the account.');
      },
    },
    {
      method: 'GET',
      path: '/-/user/org.couchdb.user:{user}',
      needs: 'read',
      summary: 'Refuses `npm owner add` and `rm`, which begin with it, and says why',
      handler: () => {
        throw Forbidden(permissionNames);
      },
    },
    ...auditRoutes,
    ...accessRoutes(deps),
    {
      method: 'GET',
      path: '/-/_view/starredByUser',
      needs: 'read',
      handler: async ({ owner, query }) => {
        const name = (query.key ?? '').replace(/^"|"$/g, '');
        return { rows: (await registry.starredBy(owner, name)).map((value) => ({ value })) };
      },
    },
    {
      method: 'GET',
      path: '/-/v1/search',
      needs: 'read',
      handler: ({ owner, query, baseUrl }) => registry.search(owner, query, baseUrl),
    },
    ...['/-/npm/v1/attestations/@{scope}/{name}', '/-/npm/v1/attestations/{name}'].map((path): PackageRoute => ({
      method: 'GET',
      path,
      needs: 'read',
      summary: 'What tells where a version was built',
      handler: ({ owner, params: { scope, name } }) =>
        registry.attestations(owner, scope === undefined ? name! : `@${scope}/${name!}`),
    })),
  ];
}

const noAdvisories = {
  actions: [],
  advisories: {},
  muted: [],
  metadata: {
    vulnerabilities: { info: 0, low: 0, moderate: 0, high: 0, critical: 0 },
    dependencies: 0,
    devDependencies: 0,
    optionalDependencies: 0,
    totalDependencies: 0,
  },
};

/** What a client sends is read to its end, so that it comes to read the answer. */
async function discardBody(body: Readable): Promise<void> {
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxAudit) throw TooLarge(`The request body is larger than ${maxAudit} bytes.`);
  }
}

/** Asked at every install; there are no advisories here. */
const auditRoutes: readonly PackageRoute[] = (
  [
    ['/-/npm/v1/security/advisories/bulk', {}],
    // of npm 6, yarn and pnpm
    ['/-/npm/v1/security/audits', noAdvisories],
    ['/-/npm/v1/security/audits/quick', noAdvisories],
  ] as const
).map(([path, answer]) => ({
  method: 'POST',
  path,
  needs: 'read',
  body: 'stream',
  handler: async ({ body }: PackageRequest) => {
    await discardBody(body as Readable);
    return answer;
  },
}));

/** `npm access`: permissions follow from the owner, so they can be listed, but not changed here. */
function accessRoutes({ registry, store }: ClientRouteDeps): readonly PackageRoute[] {
  const findPackage = (request: PackageRequest) => registry.need(request.owner, nameOf(request));
  const list = async ({ owner, mode, params }: PackageRequest) => {
    if (params.account!.toLowerCase() !== owner.lowerName) throw NotFound('account');
    const { items } = await store.search({ ownerId: owner.id, type: 'npm', latest: true, limit: maxListed, offset: 0 });
    const right = mode === 'read' ? 'read-only' : 'read-write';
    return Object.fromEntries(items.map((item) => [item.package.name, right]));
  };
  return [
    ...(['org', 'user'] as const).map((kind): PackageRoute => ({
      method: 'GET',
      path: `/-/${kind}/{account}/package`,
      needs: 'read',
      handler: list,
    })),
    ...both({
      method: 'GET',
      path: '/-/package/{pkg}/collaborators',
      needs: 'read',
      handler: async (request) => {
        await findPackage(request);
        return { [request.owner.name]: 'read-write' };
      },
    }),
    ...both({
      method: 'GET',
      path: '/-/package/{pkg}/visibility',
      needs: 'read',
      handler: async (request) => {
        await findPackage(request);
        return { public: request.owner.visibility === 'public' };
      },
    }),
    ...both({
      method: 'POST',
      path: '/-/package/{pkg}/access',
      needs: 'write',
      body: 'none',
      handler: () => {
        throw Forbidden('Who may read a package is said by the visibility of its owner.');
      },
    }),
  ];
}
