import { reply } from '@mortise/plugin-sdk';
import { definePackageRoute, type PackageRoute, type PackageStore } from '@mortise/packages/api';
import type { Feed } from '../services/feed.js';
import { registrationIndex, registrationLeaf, searchResults, serviceIndex } from '../services/v3.js';

const numberOf = (text: string | undefined, otherwise: number, max: number): number =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Math.min(Number(text), max) : otherwise;

/** What these routes share. */
function v3Context(feed: Feed, store: PackageStore) {
  return { feed, store };
}

type V3RouteContext = ReturnType<typeof v3Context>;

const nugetServiceIndex = (): PackageRoute => ({
  method: 'GET',
  path: '/index.json',
  // clients look there for where to sign in
  needs: 'open',
  id: 'nugetServiceIndex',
  summary: 'Where what is found',
  handler: ({ baseUrl }) => serviceIndex(baseUrl),
});

const nugetQuery = ({ feed }: V3RouteContext): PackageRoute => ({
  method: 'GET',
  path: '/query',
  needs: 'read',
  id: 'nugetQuery',
  summary: 'Search packages',
  handler: async ({ owner, query, baseUrl }) => {
    const { total, found } = await feed.search(owner, {
      text: query.q?.trim() || undefined,
      prerelease: /^true$/i.test(query.prerelease ?? ''),
      // full semver 2: readers of this feed understand it
      semver2: true,
      skip: numberOf(query.skip, 0, 1_000_000),
      take: numberOf(query.take, 20, 100),
    });
    return searchResults(baseUrl, total, found);
  },
});

const nugetRegistration = ({ feed }: V3RouteContext): PackageRoute => ({
  method: 'GET',
  path: '/registration/{id}/index.json',
  needs: 'read',
  id: 'nugetRegistration',
  summary: 'Versions of a package',
  handler: async ({ owner, params, baseUrl }) => {
    const package_ = await feed.need(owner, params.id!);
    return feed.registration(package_, baseUrl, registrationIndex);
  },
});

const nugetRegistrationLeaf = ({ feed }: V3RouteContext): PackageRoute => ({
  method: 'GET',
  path: '/registration/{id}/{version}.json',
  needs: 'read',
  id: 'nugetRegistrationLeaf',
  handler: async ({ owner, params, baseUrl }) =>
    registrationLeaf(baseUrl, await feed.entry(owner, params.id!, params.version!)),
});

const nugetVersions = ({ feed }: V3RouteContext): PackageRoute => ({
  method: 'GET',
  path: '/package/{id}/index.json',
  needs: 'read',
  id: 'nugetVersions',
  handler: async ({ owner, params }) => ({
    versions: (await feed.versionNames(owner, params.id!)).map((one) => one.toLowerCase()),
  }),
});

const downloadFile = ({ store, feed }: V3RouteContext): PackageRoute => ({
  method: 'GET',
  path: '/package/{id}/{version}/{file}',
  needs: 'read',
  handler: async (request) => {
    const { id, version, file } = request.params;
    return store.download(await feed.file(request.owner, id!, version!, file!), request);
  },
});

const nugetSymbols = ({ store, feed }: V3RouteContext): PackageRoute => ({
  method: 'GET',
  path: '/symbols/{file}/{key}/{same}',
  needs: 'read',
  id: 'nugetSymbols',
  summary: 'Symbols by the id that debuggers know',
  handler: async (request) => {
    const { file, key } = request.params;
    return store.download(await feed.symbols(request.owner, file!, key!), request);
  },
});

const nugetPush = ({ feed }: V3RouteContext) =>
  definePackageRoute({
    method: 'PUT',
    path: '/',
    needs: 'write',
    body: 'stream',
    id: 'nugetPush',
    summary: 'Push a package',
    handler: async ({ owner, actor, body, contentLength }) => {
      await feed.push(owner, actor, body, contentLength);
      return reply.empty(201);
    },
  });

const nugetPushSymbols = ({ feed }: V3RouteContext) =>
  definePackageRoute({
    method: 'PUT',
    path: '/symbolpackage',
    needs: 'write',
    body: 'stream',
    id: 'nugetPushSymbols',
    summary: 'Push the symbols of a package',
    handler: async ({ owner, actor, body, contentLength }) => {
      await feed.pushSymbols(owner, actor, body, contentLength);
      return reply.empty(201);
    },
  });

const nugetDelete = ({ feed }: V3RouteContext): PackageRoute => ({
  method: 'DELETE',
  path: '/{id}/{version}',
  needs: 'write',
  body: 'none',
  id: 'nugetDelete',
  handler: async ({ owner, actor, params }) => {
    await feed.delete(owner, actor, params.id!, params.version!);
    return reply.none();
  },
});

/** The feed of version 3, pushing and deleting (reference: 10.5). */
export function v3Routes(feed: Feed, store: PackageStore): readonly PackageRoute[] {
  const context = v3Context(feed, store);
  return [
    nugetServiceIndex(),
    nugetQuery(context),
    nugetRegistration(context),
    nugetRegistrationLeaf(context),
    nugetVersions(context),
    downloadFile(context),
    nugetSymbols(context),
    nugetPush(context),
    nugetPushSymbols(context),
    nugetDelete(context),
  ];
}
