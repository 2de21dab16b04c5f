import { createHash } from 'node:crypto';
import { NotFound, reply, type Reply } from '@mortise/plugin-sdk';
import { definePackageRoute, type PackageFormat, type PackageStore } from '@mortise/packages/api';
import { About, Instructions } from './pages/view.js';
import { fullVersion } from './services/gem.js';
import { type, type Document, type Gems } from './services/gems.js';
import type { SpecList } from './services/indexes.js';

const specLists: readonly SpecList[] = ['specs', 'latest_specs', 'prerelease_specs'];
const binary = 'application/octet-stream';

/** Bundler compares the entity tag with the MD5 of what it has, newer ones the digest. */
const compact = ({ content, md5 }: Document): Reply =>
  reply
    .bytes(content, 'text/plain; charset=utf-8')
    .header('repr-digest', `sha-256=:${createHash('sha256').update(content).digest('base64')}:`)
    .header('cache-control', 'private, max-age=0, must-revalidate')
    .tag(md5);

/** Pushing and yanking, the indexes in Ruby's own format and the compact index (reference: 10.11). */
export function rubygemsFormat(gems: Gems, store: PackageStore): PackageFormat {
  return {
    key: type,
    label: 'RubyGems',
    takeover: async () => (await import('./takeover/rubygems.js')).rubygemsTakeover,
    keyHeader: 'authorization',
    order: 45,
    routes: [
      {
        method: 'GET',
        path: '/',
        needs: 'read',
        id: 'rubygemsRoot',
        summary: 'Is there a compact index? gem asks so',
        handler: () => reply.text('RubyGems\n'),
      },
      ...specLists.map((kind) => ({
        id: `rubygems${kind.replace(/(?:^|_)(\w)/g, (_all, letter: string) => letter.toUpperCase())}`,
        summary: 'All gems, for older clients',
        method: 'GET' as const,
        path: `/${kind}.4.8.gz`,
        needs: 'read' as const,
        handler: async ({ owner }: { readonly owner: Parameters<Gems['specs']>[0] }) => {
          const { content, md5 } = await gems.specs(owner, kind);
          return reply.bytes(content, binary).tag(md5);
        },
      })),
      {
        method: 'GET',
        path: '/quick/Marshal.4.8/{file}',
        needs: 'read',
        summary: 'The specification of one gem',
        handler: async ({ owner, params }) => {
          const stem = /^(.+)\.gemspec\.rz$/.exec(params.file!)?.[1];
          if (!stem) throw NotFound('package file');
          return reply.bytes(await gems.specification(owner, stem), binary);
        },
      },
      {
        method: 'GET',
        path: '/gems/{file}',
        needs: 'read',
        handler: async (request) => {
          const stem = /^(.+)\.gem$/i.exec(request.params.file!)?.[1];
          if (!stem) throw NotFound('package file');
          return store.download(await gems.needFile(request.owner, stem), request);
        },
      },
      {
        method: 'GET',
        path: '/versions',
        needs: 'read',
        summary: 'The compact index of all gems',
        handler: async ({ owner }) => compact(await gems.versions(owner)),
      },
      {
        method: 'GET',
        path: '/names',
        needs: 'read',
        handler: async ({ owner }) => compact(await gems.names(owner)),
      },
      {
        method: 'GET',
        path: '/info/{name}',
        needs: 'read',
        summary: 'The compact entry of a gem',
        handler: async ({ owner, params }) => compact(await gems.info(owner, params.name!)),
      },
      definePackageRoute({
        method: 'POST',
        path: '/api/v1/gems',
        needs: 'write',
        body: 'stream',
        summary: 'Push a gem',
        handler: async ({ owner, actor, body, contentLength }) => {
          const { name, version, platform } = await gems.push(owner, actor, body, contentLength);
          return reply.text(`Successfully registered gem: ${name} (${fullVersion(version, platform)})`, 201);
        },
      }),
      definePackageRoute({
        method: 'DELETE',
        path: '/api/v1/gems/yank',
        needs: 'write',
        body: 'form',
        maxBytes: 16 * 1024,
        summary: 'Remove a gem: gem_name, version, platform',
        handler: async ({ owner, actor, body }) => {
          const fields = await body.read();
          const given = Object.fromEntries([...fields].map(([name, [value = '']]) => [name, value]));
          return reply.text(`Successfully deleted gem: ${await gems.yank(owner, actor, given)}`);
        },
      }),
    ],
    instructions: Instructions,
    about: About,
  };
}
