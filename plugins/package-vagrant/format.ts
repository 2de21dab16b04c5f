import { reply, Unauthorized } from '@mortise/plugin-sdk';
import { definePackageRoute, type PackageFormat, type PackageStore } from '@mortise/packages/api';
import { About, Instructions } from './pages/view.js';
import { type, type Boxes } from './services/boxes.js';

const challenge = { headers: { 'www-authenticate': 'Basic realm="Mortise Package API"' } };

/** A catalogue of boxes (reference: 10.13). */
export function vagrantFormat(boxes: Boxes, store: PackageStore): PackageFormat {
  return {
    key: type,
    label: 'Vagrant',
    takeover: async () => (await import('./takeover/vagrant.js')).vagrantTakeover,
    order: 200,
    routes: [
      {
        method: 'GET',
        path: '/authenticate',
        needs: 'none',
        summary: 'Are these credentials good?',
        handler: ({ actor }) => {
          if (actor.kind === 'anonymous') throw Unauthorized('Authentication required.', challenge);
          return reply.empty(200);
        },
      },
      {
        method: 'GET',
        path: '/{name}',
        needs: 'read',
        summary: 'The versions of a box, with the address for each provider',
        handler: async ({ owner, params, baseUrl }) => reply.json(await boxes.record(owner, params.name!, baseUrl)),
      },
      {
        method: 'GET',
        path: '/{name}/{version}/{file}',
        needs: 'read',
        summary: 'Download a box',
        handler: async (request) => {
          const { name, version, file } = request.params;
          return store.download(await boxes.file(request.owner, name!, version!, file!), request);
        },
      },
      definePackageRoute({
        method: 'PUT',
        path: '/{name}/{version}/{file}',
        needs: 'write',
        body: 'stream',
        summary: 'Publish a box for a provider: `virtualbox.box`',
        handler: async ({ owner, actor, params, body, contentLength }) => {
          const { name, version, file } = params as { name: string; version: string; file: string };
          await boxes.publish(owner, actor, { name, version, file }, body, contentLength);
          return reply.empty(201);
        },
      }),
    ],
    error: (problem) => reply.json({ errors: [problem.message] }, problem.status),
    instructions: Instructions,
    about: About,
  };
}
