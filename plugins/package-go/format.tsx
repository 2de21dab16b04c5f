import { NotFound, reply } from '@mortise/plugin-sdk';
import { definePackageRoute, type PackageFormat, type PackageRequest, type PackageStore } from '@mortise/packages/api';
import { About, Instructions } from './pages/view.js';
import type { Mirror } from './services/mirror.js';
import { type, type Modules } from './services/modules.js';

/** A proxy for modules of Go (PKG-12; reference: 7). */
export function goFormat(modules: Modules, store: PackageStore, mirror: Mirror | undefined): PackageFormat {
  /** Another proxy, unless the module is one of ours, or below one: then it is never asked. */
  const elsewhere = async ({ owner, params }: PackageRequest): Promise<Mirror | undefined> =>
    mirror && !(await modules.isOwn(owner, params.module!)) ? mirror : undefined;
  const versionOf = ({ owner, params }: PackageRequest) =>
    modules.version(owner, params.module!, params.version ?? 'latest');
  const info = async (request: PackageRequest) => {
    const other = await elsewhere(request);
    if (other) return request.params.version === undefined ? other.latest(request) : other.info(request);
    const { version, createdAt } = await versionOf(request);
    return { Version: version, Time: new Date(createdAt).toISOString() };
  };
  const one = '/{module+}/@v/{version}';
  return {
    key: type,
    label: 'Go',
    takeover: async () => (await import('./takeover/go.js')).goTakeover,
    order: 70,
    routes: [
      definePackageRoute({
        method: 'PUT',
        path: '/upload',
        needs: 'write',
        body: 'stream',
        summary: 'Publish the zip of a version of a module',
        handler: async ({ owner, actor, body, contentLength }) => {
          await modules.publish(owner, actor, body, contentLength);
          return reply.empty(201);
        },
      }),
      {
        method: 'GET',
        path: '/sumdb/{path+}',
        needs: 'read',
        summary: 'Nothing: clients ask the checksum database themselves',
        handler: () => {
          throw NotFound('There is no checksum database here.');
        },
      },
      {
        method: 'GET',
        path: '/{module+}/@v/list',
        needs: 'read',
        summary: 'Versions, a line each',
        handler: async (request) => {
          const other = await elsewhere(request);
          if (other) return other.list(request);
          const versions = await modules.versions(request.owner, request.params.module!);
          return reply.text(versions.map((version) => `${version}\n`).join(''));
        },
      },
      { method: 'GET', path: '/{module+}/@latest', needs: 'read', handler: info },
      { method: 'GET', path: `${one}.info`, needs: 'read', handler: info },
      {
        method: 'GET',
        path: `${one}.mod`,
        needs: 'read',
        handler: async (request) => {
          const other = await elsewhere(request);
          return other ? other.goMod(request) : reply.text(await modules.goMod(await versionOf(request)));
        },
      },
      {
        method: 'GET',
        path: `${one}.zip`,
        needs: 'read',
        handler: async (request) => {
          const other = await elsewhere(request);
          return other ? other.zip(request) : store.download(await modules.file(await versionOf(request)), request);
        },
      },
    ],
    instructions: Instructions,
    about: About,
  };
}
