import { reply } from '@mortise/plugin-sdk';
import { definePackageRoute, type PackageFormat, type PackageRequest, type PackageStore } from '@mortise/packages/api';
import { About, Instructions } from './pages/view.js';
import { type, type Binary, type CranRepositories } from './services/repositories.js';

const sources = () => undefined;
const binaries = ({ params }: PackageRequest): Binary => ({ platform: params.platform!, rVersion: params.rversion! });

/** A repository for R (reference: 5). */
export function cranFormat(repositories: CranRepositories, store: PackageStore): PackageFormat {
  const reading = (root: string, kind: (request: PackageRequest) => Binary | undefined) => [
    {
      method: 'GET' as const,
      path: `${root}/PACKAGES`,
      needs: 'read' as const,
      summary: 'The highest version of each package',
      handler: async (request: PackageRequest) => {
        const { text, tag } = await repositories.listing(request.owner, kind(request));
        return reply.bytes(Buffer.from(text), 'text/plain; charset=utf-8').tag(tag);
      },
    },
    {
      method: 'GET' as const,
      path: `${root}/PACKAGES.gz`,
      needs: 'read' as const,
      handler: async (request: PackageRequest) => {
        const { packed, tag } = await repositories.listing(request.owner, kind(request));
        return reply.bytes(packed, 'application/x-gzip').tag(`${tag}-gz`);
      },
    },
    {
      method: 'GET' as const,
      path: `${root}/{file}`,
      needs: 'read' as const,
      handler: async (request: PackageRequest) =>
        store.download(await repositories.file(request.owner, request.params.file!, kind(request)), request),
    },
  ];
  return {
    key: type,
    label: 'CRAN',
    takeover: async () => (await import('./takeover/cran.js')).cranTakeover,
    order: 90,
    routes: [
      definePackageRoute({
        method: 'PUT',
        path: '/src',
        needs: 'write',
        body: 'stream',
        summary: 'Publish a source package',
        handler: async ({ owner, actor, body, contentLength }) => {
          await repositories.publish(owner, actor, body, contentLength);
          return reply.empty(201);
        },
      }),
      definePackageRoute({
        method: 'PUT',
        path: '/bin',
        needs: 'write',
        body: 'stream',
        summary: 'Publish a binary: `platform` and `rversion` say for what',
        handler: async ({ owner, actor, query, body, contentLength }) => {
          const { platform = '', rversion: rVersion = '' } = query;
          await repositories.publish(owner, actor, body, contentLength, { platform, rVersion });
          return reply.empty(201);
        },
      }),
      ...reading('/src/contrib', sources),
      {
        method: 'GET',
        path: '/src/contrib/Archive/{name}/{file}',
        needs: 'read',
        summary: 'Any version of a source package',
        handler: async (request) =>
          store.download(await repositories.file(request.owner, request.params.file!), request),
      },
      ...reading('/bin/{platform+}/contrib/{rversion}', binaries),
    ],
    instructions: Instructions,
    about: About,
  };
}
