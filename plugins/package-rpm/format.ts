import { NotFound, reply } from '@mortise/plugin-sdk';
import { definePackageRoute, type PackageFormat, type PackageRequest, type PackageStore } from '@mortise/packages/api';
import type { Account } from '@mortise/accounts/api';
import { About, Instructions } from './pages/view.js';
import { type } from './services/metadata.js';
import type { RpmRepositories } from './services/repositories.js';

const named = ({ params }: PackageRequest) => ({
  name: params.name!,
  version: params.version!,
  architecture: params.architecture!,
});
const one = '/{group*}/package/{name}/{version}/{architecture}';
const maxErrata = 4 * 1024 * 1024;

/** What dnf and zypper keep of a repository. The section is named after product, owner and group. */
function description(owner: Account, baseUrl: string, site: string, group: string): string {
  const parts = group.split('/').filter(Boolean);
  const root = group ? `${baseUrl}/${group}` : baseUrl;
  return [
    `[${['mortise', owner.name.toLowerCase(), ...parts].join('-')}]`,
    `name=${[owner.name, site.replace(/[\r\n]+/g, ' '), ...parts].join(' - ')}`,
    `baseurl=${root}`,
    'enabled=1',
    'gpgcheck=1',
    `gpgkey=${baseUrl}/repository.key`,
  ].join('\n');
}

interface RpmOptions {
  siteName(): string;
  /** Packages are signed also where the client does not ask for it. */
  readonly signsAll: boolean;
}

/** Repositories of groups for dnf and zypper (reference: 4). */
export function rpmFormat(
  repositories: RpmRepositories,
  store: PackageStore,
  { siteName, signsAll }: RpmOptions,
): PackageFormat {
  const repository = (group: string) => {
    if (/[\r\n[\]]/.test(group)) throw NotFound('group');
    return ({ owner, baseUrl }: PackageRequest) =>
      reply.text(description(owner, baseUrl, siteName(), group)).type('text/plain; charset=utf-8');
  };
  const file = async (request: PackageRequest) =>
    store.download(await repositories.file(request.owner, request.params.group!, named(request)), request);
  return {
    key: type,
    label: 'RPM',
    takeover: async () => (await import('./takeover/rpm.js')).rpmTakeover,
    order: 110,
    routes: [
      { method: 'GET', path: '.repo', needs: 'read', summary: 'The root group for dnf', handler: repository('') },
      {
        method: 'GET',
        path: '/repository.key',
        needs: 'read',
        summary: 'The key that signs metadata and packages',
        handler: async ({ owner }) => reply.bytes(Buffer.from(await repositories.key(owner)), 'application/pgp-keys'),
      },
      {
        method: 'GET',
        path: '/{group*}/repodata/{file}',
        needs: 'read',
        summary: 'Metadata of a group',
        handler: async (request) =>
          store.download(
            await repositories.metadata(request.owner, request.params.group!, request.params.file!),
            request,
          ),
      },
      definePackageRoute({
        method: 'PUT',
        path: '/{group*}/upload',
        needs: 'write',
        body: 'stream',
        summary: 'Publish a package; `sign=true` signs it with the key of the owner',
        handler: async ({ owner, actor, params, query, body, contentLength: size }) => {
          const sign = signsAll || /^(?:1|t|true)$/i.test(query.sign ?? '');
          await repositories.publish(owner, actor, params.group!, body, { size, sign });
          return reply.empty(201);
        },
      }),
      definePackageRoute({
        method: 'POST',
        path: '/{group*}/package/{name}/{version}/errata',
        needs: 'write',
        body: 'json',
        maxBytes: maxErrata,
        summary: 'Add errata to a version',
        handler: async ({ owner, params, body }) => {
          await repositories.amend(owner, params.group!, params.name!, params.version!, body);
          return reply.empty(200);
        },
      }),
      { method: 'GET', path: one, needs: 'read', summary: 'Download a package', handler: file },
      { method: 'GET', path: `${one}/{file*}`, id: 'rpmGetNamedFile', needs: 'read', handler: file },
      {
        method: 'DELETE',
        path: one,
        needs: 'write',
        body: 'none',
        handler: async (request) => {
          await repositories.delete(request.owner, request.actor, request.params.group!, named(request));
          return reply.none();
        },
      },
      {
        method: 'GET',
        path: '/{group+}.repo',
        needs: 'read',
        summary: 'A group for dnf: `dnf config-manager --add-repo`',
        handler: (request) => repository(request.params.group!)(request),
      },
    ],
    index: {
      partsOf: (files) => files.map((each) => each.compositeKey),
      build: (build) => repositories.build(build),
    },
    instructions: Instructions,
    about: About,
  };
}
