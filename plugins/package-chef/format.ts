import { reply } from '@mortise/plugin-sdk';
import {
  definePackageRoute,
  type PackageFormat,
  type PackageRequest,
  type PackageStore,
  type ReceivedBlob,
} from '@mortise/packages/api';
import { About, Instructions, readme } from './pages/view.js';
import { type, type Cookbooks, type ListQuery } from './services/cookbooks.js';
import { isSignedContent } from './services/method.js';

const root = '/api/v1';
const cookbook = `${root}/cookbooks/{name}`;
const version = `${cookbook}/versions/{version}`;
const defaultItems = 10;
const maxItems = 100;

const baseOf = ({ baseUrl }: PackageRequest) => `${baseUrl}${root}`;
function listIn({ query }: PackageRequest): ListQuery {
  const number = (text = '') => (/^\d{1,9}$/.test(text) ? Number(text) : undefined);
  return {
    start: number(query.start) ?? 0,
    items: Math.min(maxItems, number(query.items) || defaultItems),
    order: query.order,
  };
}

/** A supermarket of cookbooks (reference: 10.12). */
export function chefFormat(cookbooks: Cookbooks, store: PackageStore): PackageFormat {
  return {
    key: type,
    label: 'Chef',
    takeover: async () => (await import('./takeover/chef.js')).chefTakeover,
    order: 190,
    routes: [
      {
        method: 'GET',
        path: `${root}/universe`,
        needs: 'read',
        summary: 'Every version with what it depends on',
        handler: async (request) => reply.json(await cookbooks.universe(request.owner, baseOf(request))),
      },
      {
        method: 'GET',
        path: `${root}/search`,
        needs: 'read',
        summary: 'Cookbooks whose names contain `q`',
        handler: async (request) =>
          reply.json(
            await cookbooks.list(request.owner, baseOf(request), { ...listIn(request), text: request.query.q }),
          ),
      },
      {
        method: 'GET',
        path: `${root}/cookbooks`,
        needs: 'read',
        summary: 'Cookbooks by name, from `start`, so many `items`',
        handler: async (request) => reply.json(await cookbooks.list(request.owner, baseOf(request), listIn(request))),
      },
      definePackageRoute({
        method: 'POST',
        path: `${root}/cookbooks`,
        needs: 'write',
        body: 'stream',
        summary: 'Publish a cookbook',
        handler: async ({ owner, actor, body, contentLength, headers }) => {
          const isSigned = (content: ReceivedBlob) => isSignedContent(actor, headers, content);
          await cookbooks.publish(owner, actor, body, contentLength, isSigned);
          return reply.json({}, 201);
        },
      }),
      {
        method: 'GET',
        path: cookbook,
        needs: 'read',
        handler: async (request) =>
          reply.json(await cookbooks.cookbook(request.owner, baseOf(request), request.params.name!)),
      },
      {
        method: 'DELETE',
        path: cookbook,
        needs: 'write',
        body: 'none',
        handler: async ({ owner, actor, params }) => {
          await cookbooks.delete(owner, actor, params.name!);
          return reply.json({});
        },
      },
      {
        method: 'GET',
        path: version,
        needs: 'read',
        handler: async (request) => {
          const { name, version: label } = request.params;
          return reply.json(await cookbooks.version(request.owner, baseOf(request), name!, label!));
        },
      },
      {
        method: 'DELETE',
        path: version,
        needs: 'write',
        body: 'none',
        handler: async ({ owner, actor, params }) => {
          await cookbooks.deleteVersion(owner, actor, params.name!, params.version!);
          return reply.json({});
        },
      },
      {
        method: 'GET',
        path: `${version}/download`,
        needs: 'read',
        summary: 'Download a cookbook',
        handler: async (request) => {
          const { name, version: label } = request.params;
          return store.download(await cookbooks.file(request.owner, name!, label!), request);
        },
      },
    ],
    error: (problem) => reply.json({ error_messages: [problem.message] }, problem.status),
    instructions: Instructions,
    about: About,
    readme,
  };
}
