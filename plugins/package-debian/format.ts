import { reply } from '@mortise/plugin-sdk';
import { definePackageRoute, type PackageFormat, type PackageRequest, type PackageStore } from '@mortise/packages/api';
import { About, Instructions } from './pages/view.js';
import { type, type DebianRepositories } from './services/repositories.js';

const placeIn = ({ params }: PackageRequest) => ({
  distribution: params.distribution!,
  component: params.component!,
});
const pool = '/pool/{distribution}/{component}';
const dists = '/dists/{distribution}';
const binary = `${dists}/{component}/{architecture}`;
const packageType = 'application/vnd.debian.binary-package';

/** Repositories of apt with signed indexes (reference: 2). */
export function debianFormat(repositories: DebianRepositories, store: PackageStore): PackageFormat {
  const index = async (request: PackageRequest) =>
    store.download(await repositories.index(request.owner, request.params, request.params.file!), request);
  const byHash = async (request: PackageRequest) => {
    const { algorithm, digest } = request.params;
    return store.download(await repositories.byHash(request.owner, algorithm!, digest!), request);
  };
  return {
    key: type,
    label: 'Debian',
    takeover: async () => (await import('./takeover/debian.js')).debianTakeover,
    order: 100,
    routes: [
      {
        method: 'GET',
        path: '/repository.key',
        needs: 'read',
        summary: 'The key that signs the indexes',
        handler: async ({ owner }) => reply.bytes(Buffer.from(await repositories.key(owner)), 'application/pgp-keys'),
      },
      { method: 'GET', path: `${dists}/by-hash/{algorithm}/{digest}`, needs: 'read', handler: byHash },
      {
        method: 'GET',
        path: `${binary}/by-hash/{algorithm}/{digest}`,
        id: 'debianGetIndexByHash',
        needs: 'read',
        summary: 'An index by its digest, also of those that were replaced a moment ago',
        handler: byHash,
      },
      {
        method: 'GET',
        path: `${binary}/{file}`,
        needs: 'read',
        summary: 'The packages of an architecture',
        handler: index,
      },
      {
        method: 'GET',
        path: `${dists}/{file}`,
        needs: 'read',
        summary: 'What there is in a distribution, signed: `InRelease`, or `Release` and `Release.gpg`',
        handler: index,
      },
      definePackageRoute({
        method: 'PUT',
        path: `${pool}/upload`,
        needs: 'write',
        body: 'stream',
        summary: 'Publish a .deb',
        handler: async (request) => {
          const { owner, actor, body, contentLength } = request;
          await repositories.publish(owner, actor, placeIn(request), body, contentLength);
          return reply.empty(201);
        },
      }),
      {
        method: 'GET',
        path: `${pool}/{file}`,
        needs: 'read',
        summary: 'Download a package',
        handler: async (request) =>
          store.download(await repositories.file(request.owner, placeIn(request), request.params.file!), request, {
            type: packageType,
          }),
      },
      {
        method: 'DELETE',
        path: `${pool}/{name}/{version}/{architecture}`,
        needs: 'write',
        body: 'none',
        handler: async (request) => {
          const { name, version, architecture } = request.params;
          const file = `${name}_${version}_${architecture}.deb`;
          await repositories.delete(request.owner, request.actor, placeIn(request), file);
          return reply.none();
        },
      },
    ],
    index: {
      partsOf: (files) => repositories.partsOf(files),
      build: (build) => repositories.build(build),
    },
    instructions: Instructions,
    about: About,
  };
}
