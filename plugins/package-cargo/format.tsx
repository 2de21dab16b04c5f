import { reply } from '@mortise/plugin-sdk';
import { definePackageRoute, type PackageFormat, type PackageRequest, type PackageStore } from '@mortise/packages/api';
import { About, Instructions, readme } from './pages/view.js';
import type { Mirror } from './services/mirror.js';
import { type, type Crates } from './services/crates.js';

const ok = { ok: true };

/** The sparse registry of Cargo: index, downloads and the web API (reference: 10.6). */
export function cargoFormat(crates: Crates, store: PackageStore, mirror: Mirror | undefined): PackageFormat {
  /** Another registry, unless the name is one of ours: then it is never asked. */
  const elsewhere = async ({ owner, params }: PackageRequest): Promise<Mirror | undefined> =>
    mirror && !(await crates.hasLike(owner, params.name!)) ? mirror : undefined;
  const index = async (request: PackageRequest) => {
    const { owner, params } = request;
    const other = await elsewhere(request);
    const own = async () => {
      const { text, tag } = await crates.index(await crates.need(owner, params.name!));
      return reply.text(text).tag(tag);
    };
    const answer = other ? await other.index(request) : await own();
    return answer.header('cache-control', 'private, max-age=0, must-revalidate');
  };
  const one = '/api/v1/crates/{name}/{version}';
  const yank = (yanked: boolean) => async (request: PackageRequest) => {
    await crates.yank(request.owner, request.params.name!, request.params.version!, yanked);
    return ok;
  };
  return {
    key: type,
    label: 'Cargo',
    takeover: async () => (await import('./takeover/cargo.js')).cargoTakeover,
    keyHeader: 'authorization',
    order: 30,
    routes: [
      {
        method: 'GET',
        path: '/config.json',
        needs: 'read',
        summary: 'Where crates are downloaded from and published to',
        handler: ({ owner, baseUrl }) => ({
          dl: `${baseUrl}/api/v1/crates`,
          api: baseUrl,
          // clients show credentials to all of a registry, or to nothing of it
          'auth-required': owner.visibility !== 'public' || mirror?.needsSignIn === true,
        }),
      },
      definePackageRoute({
        method: 'PUT',
        path: '/api/v1/crates/new',
        needs: 'write',
        body: 'stream',
        summary: 'Publish a version of a crate',
        handler: async ({ owner, actor, body }) => {
          await crates.publish(owner, actor, body);
          return ok;
        },
      }),
      {
        method: 'GET',
        path: '/api/v1/crates',
        needs: 'read',
        summary: 'Search crates by name',
        handler: ({ owner, query }) => crates.search(owner, query),
      },
      {
        method: 'GET',
        path: '/api/v1/crates/{name}/owners',
        needs: 'read',
        handler: ({ owner, params }) => crates.owners(owner, params.name!),
      },
      {
        method: 'GET',
        path: `${one}/download`,
        needs: 'read',
        handler: async (request) => {
          const other = await elsewhere(request);
          if (other) return other.crate(request);
          const { owner, params } = request;
          return store.download(await crates.file(owner, params.name!, params.version!), request);
        },
      },
      { method: 'DELETE', path: `${one}/yank`, needs: 'write', body: 'none', handler: yank(true) },
      { method: 'PUT', path: `${one}/unyank`, needs: 'write', body: 'none', handler: yank(false) },
      ...['/1/{name}', '/2/{name}', '/3/{a}/{name}', '/{a}/{b}/{name}'].map((path, at) => ({
        id: `cargoGetIndex${at + 1}`,
        summary: 'Versions of a crate, a line of JSON each',
        method: 'GET' as const,
        path,
        needs: 'read' as const,
        handler: index,
      })),
    ],
    error: (problem) => reply.json({ ok: false, errors: [{ detail: problem.message }] }, problem.status),
    instructions: Instructions,
    about: About,
    readme,
  };
}
