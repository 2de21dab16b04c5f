import { STATUS_CODES } from 'node:http';
import { reply, type Reply } from '@mortise/plugin-sdk';
import { definePackageRoute, type PackageFormat, type PackageStore } from '@mortise/packages/api';
import { About, Instructions, readme } from './pages/view.js';
import { type, type PubPackages } from './services/packages.js';

const json = (value: unknown, status = 200): Reply => reply.json(value, status).type('application/vnd.pub.v2+json');

/** The hosted repository protocol of Pub, version 2 (reference: 10.10). */
export function pubFormat(packages: PubPackages, store: PackageStore): PackageFormat {
  const root = '/api/packages';
  return {
    key: type,
    label: 'Pub',
    takeover: async () => (await import('./takeover/pub.js')).pubTakeover,
    order: 46,
    routes: [
      {
        method: 'GET',
        path: `${root}/versions/new`,
        needs: 'write',
        id: 'pubNew',
        summary: 'Where to upload a version',
        handler: ({ baseUrl }) => json({ url: `${baseUrl}${root}/versions/new/upload`, fields: {} }),
      },
      definePackageRoute({
        method: 'POST',
        path: `${root}/versions/new/upload`,
        needs: 'write',
        body: 'form',
        id: 'pubUpload',
        summary: 'Upload a version',
        handler: async ({ owner, actor, body, baseUrl }) => {
          const { name, version } = await packages.upload(owner, actor, body);
          return reply.none().header('location', `${baseUrl}${root}/versions/new/finalize/${name}/${version}`);
        },
      }),
      {
        method: 'GET',
        path: `${root}/versions/new/finalize/{name}/{version}`,
        needs: 'write',
        id: 'pubFinish',
        summary: 'Was it uploaded?',
        handler: async ({ owner, params }) => {
          const [{ name }, { version }] = await packages.needVersion(owner, params.name!, params.version!);
          return json({ success: { message: `${name} ${version} was published.` } });
        },
      },
      {
        method: 'GET',
        path: `${root}/{name}/files/{version}.tar.gz`,
        needs: 'read',
        id: 'pubArchive',
        handler: async (request) => {
          const [, , file] = await packages.needVersion(request.owner, request.params.name!, request.params.version!);
          return store.download(file, request);
        },
      },
      {
        method: 'GET',
        path: `${root}/{name}/versions/{version}`,
        needs: 'read',
        id: 'pubVersionByOldAddress',
        handler: async ({ owner, params, baseUrl }) =>
          json(packages.entry(...(await packages.needVersion(owner, params.name!, params.version!)), baseUrl)),
      },
      {
        method: 'GET',
        path: `${root}/{name}/{version}`,
        needs: 'read',
        id: 'pubVersion',
        summary: 'A version of a package',
        handler: async ({ owner, params, baseUrl }) =>
          json(packages.entry(...(await packages.needVersion(owner, params.name!, params.version!)), baseUrl)),
      },
      {
        method: 'GET',
        path: `${root}/{name}`,
        needs: 'read',
        id: 'pubPackage',
        summary: 'Versions of a package',
        handler: async ({ owner, params, baseUrl }) => json(await packages.document(owner, params.name!, baseUrl)),
      },
    ],
    error: (problem) =>
      json({ error: { code: STATUS_CODES[problem.status], message: problem.message } }, problem.status),
    instructions: Instructions,
    about: About,
    readme,
  };
}
