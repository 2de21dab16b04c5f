import { reply } from '@mortise/plugin-sdk';
import { definePackageRoute, type PackageFormat, type PackageStore } from '@mortise/packages/api';
import { About, Instructions, readme } from './pages/view.js';
import { type, type Charts } from './services/charts.js';

/** A repository of charts (reference: 10.10), published as to a ChartMuseum. */
export function helmFormat(charts: Charts, store: PackageStore): PackageFormat {
  return {
    key: type,
    label: 'Helm',
    takeover: async () => (await import('./takeover/helm.js')).helmTakeover,
    order: 140,
    routes: [
      {
        method: 'GET',
        path: '/index.yaml',
        needs: 'read',
        summary: 'All charts with their versions',
        handler: async ({ owner, baseUrl }) => {
          const { text, tag } = await charts.index(owner, baseUrl);
          return reply.bytes(Buffer.from(text), 'text/plain; charset=utf-8').tag(tag);
        },
      },
      definePackageRoute({
        method: 'POST',
        path: '/api/charts',
        needs: 'write',
        body: 'stream',
        summary: 'Publish a chart',
        handler: async ({ owner, actor, body, contentLength }) => {
          await charts.publish(owner, actor, body, contentLength);
          return reply.empty(201);
        },
      }),
      {
        method: 'DELETE',
        path: '/api/charts/{name}/{version}',
        needs: 'write',
        body: 'none',
        summary: 'Delete a version of a chart',
        handler: async ({ owner, actor, params }) => {
          await charts.delete(owner, actor, params.name!, params.version!);
          return reply.json({ deleted: true });
        },
      },
      {
        method: 'GET',
        path: '/{file}',
        needs: 'read',
        summary: 'Download a chart',
        handler: async (request) => store.download(await charts.file(request.owner, request.params.file!), request),
      },
    ],
    error: (problem) => reply.json({ error: problem.message }, problem.status),
    instructions: Instructions,
    about: About,
    readme,
  };
}
