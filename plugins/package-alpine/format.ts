import { reply } from '@mortise/plugin-sdk';
import { definePackageRoute, type PackageFormat, type PackageRequest, type PackageStore } from '@mortise/packages/api';
import { About, Instructions } from './pages/view.js';
import { indexName, type, type AlpineRepositories } from './services/repositories.js';

const placeIn = ({ params }: PackageRequest) => ({
  branch: params.branch!,
  repository: params.repository!,
  architecture: params.architecture!,
});
const place = '/{branch}/{repository}/{architecture}';

/** Repositories of apk with a signed index (reference: 3). */
export function alpineFormat(repositories: AlpineRepositories, store: PackageStore): PackageFormat {
  return {
    key: type,
    label: 'Alpine',
    takeover: async () => (await import('./takeover/alpine.js')).alpineTakeover,
    order: 120,
    routes: [
      {
        method: 'GET',
        path: '/key',
        needs: 'read',
        summary: 'The key that signs the indexes, under the name by which apk looks for it',
        handler: async ({ owner }) => {
          const { name, pem } = await repositories.key(owner);
          return reply
            .bytes(Buffer.from(pem), 'application/x-pem-file')
            .header('content-disposition', `attachment; filename="${name}"`);
        },
      },
      definePackageRoute({
        method: 'PUT',
        path: '/{branch}/{repository}',
        needs: 'write',
        body: 'stream',
        summary: 'Publish an .apk',
        handler: async ({ owner, actor, params, body, contentLength }) => {
          const { branch, repository } = params as { branch: string; repository: string };
          await repositories.publish(owner, actor, { branch, repository }, body, contentLength);
          return reply.empty(201);
        },
      }),
      {
        method: 'GET',
        path: `${place}/${indexName}`,
        needs: 'read',
        summary: 'The signed index of an architecture',
        handler: async (request) => store.download(await repositories.index(request.owner, placeIn(request)), request),
      },
      {
        method: 'GET',
        path: `${place}/{file}`,
        needs: 'read',
        handler: async (request) =>
          store.download(await repositories.file(request.owner, placeIn(request), request.params.file!), request),
      },
      {
        method: 'DELETE',
        path: `${place}/{file}`,
        needs: 'write',
        body: 'none',
        handler: async (request) => {
          await repositories.delete(request.owner, request.actor, placeIn(request), request.params.file!);
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
