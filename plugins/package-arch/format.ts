import { reply } from '@mortise/plugin-sdk';
import { definePackageRoute, type PackageFormat, type PackageRequest, type PackageStore } from '@mortise/packages/api';
import { About, Instructions } from './pages/view.js';
import { type, type ArchRepositories } from './services/repositories.js';

const placeIn = ({ params }: PackageRequest) => ({
  repository: params.repository!,
  architecture: params.architecture!,
});
const database = /\.(?:db|files)(?:\.tar\.gz)?(\.sig)?$/;
const seal = /\.sig$/;

/** Repositories of pacman with signed databases (reference: 9). */
export function archFormat(repositories: ArchRepositories, store: PackageStore): PackageFormat {
  const publishing = (path: string) =>
    definePackageRoute({
      method: 'PUT',
      path,
      needs: 'write',
      body: 'stream',
      summary: 'Publish a package',
      handler: async ({ owner, actor, params, body, contentLength }) => {
        await repositories.publish(owner, actor, params.repository ?? '', body, contentLength);
        return reply.empty(201);
      },
    });
  return {
    key: type,
    label: 'Arch',
    takeover: async () => (await import('./takeover/arch.js')).archTakeover,
    order: 130,
    routes: [
      {
        method: 'GET',
        path: '/repository.key',
        needs: 'read',
        summary: 'The key that signs packages and databases',
        handler: async ({ owner }) => reply.bytes(Buffer.from(await repositories.key(owner)), 'application/pgp-keys'),
      },
      {
        method: 'GET',
        path: '/{repository*}/{architecture}/{file}',
        needs: 'read',
        summary: 'A package, its signature, or the database: any name that ends in `.db` or `.files`',
        handler: async (request) => {
          const file = request.params.file!;
          const place = placeIn(request);
          const asked = database.exec(file);
          if (asked)
            return store.download(await repositories.database(request.owner, place, Boolean(asked[1])), request, {
              name: file,
            });
          if (!seal.test(file)) return store.download(await repositories.file(request.owner, place, file), request);
          const signature = await repositories.signature(request.owner, place, file.replace(seal, ''));
          return reply.bytes(signature, 'application/octet-stream');
        },
      },
      publishing('/'),
      publishing('/{repository+}'),
      {
        method: 'DELETE',
        path: '/{repository*}/{name}/{version}/{architecture}',
        needs: 'write',
        body: 'none',
        handler: async (request) => {
          const { name, version } = request.params;
          await repositories.delete(request.owner, request.actor, placeIn(request), name!, version!);
          return reply.none();
        },
      },
    ],
    index: {
      partsOf: (files) => files.map((file) => file.compositeKey),
      build: (build) => repositories.build(build),
    },
    instructions: Instructions,
    about: About,
  };
}
