import { readmeEnd, type Skeleton } from './common.js';

const definition = ({
  key,
  className,
}: Skeleton): string => `import { definePlugin, fromPackage } from '@mortise/plugin-sdk';
import { packageFormats, packageStore, sizeLimit } from '@mortise/packages/api';
import { make${className}Format } from './format.js';

export default definePlugin({
  ...fromPackage(new URL('../package.json', import.meta.url)),

  register(host) {
    host.settings('packages', sizeLimit('${key}'));
    host.contribute(packageFormats, { store: packageStore }, ({ store }) => make${className}Format(store));
  },
});
`;

const format = ({
  key,
  className,
}: Skeleton): string => `import { BadRequest, CopyBlock, NotFound, reply } from '@mortise/plugin-sdk';
import {
  definePackageRoute,
  type Package,
  type PackageFormat,
  type PackageRequest,
  type PackageStore,
  type PackageVersion,
} from '@mortise/packages/api';

const namePattern = /^[a-z0-9][a-z0-9._-]{0,127}$/;
const versionPattern = /^\\d+\\.\\d+\\.\\d+$/;

/**
 * The registry below \`/api/packages/{owner}/${key}\`:
 *
 *     PUT    /{name}/{version}    publishes the body
 *     GET    /{name}/{version}    gives it back
 *     DELETE /{name}/{version}
 *     GET    /{name}              lists the versions
 *
 * Owners, rights, sizes, quotas, pages and the API are the business of \`packages\`.
 */
export function make${className}Format(store: PackageStore): PackageFormat {
  async function findPackage({ owner, params }: PackageRequest): Promise<Package> {
    const found = await store.find(owner.id, '${key}', params.name!);
    if (!found) throw NotFound('package');
    return found;
  }

  async function findVersion(request: PackageRequest): Promise<{ package_: Package; version: PackageVersion }> {
    const package_ = await findPackage(request);
    const version = await store.findVersion(package_.id, request.params.version!);
    if (!version) throw NotFound('version');
    return { package_, version };
  }

  return {
    key: '${key}',
    label: '${className}',
    routes: [
      definePackageRoute({
        method: 'PUT',
        path: '/{name}/{version}',
        needs: 'write',
        body: 'stream',
        async handler({ owner, actor, params, body, contentLength }) {
          const { name, version } = params as { name: string; version: string };
          if (!namePattern.test(name)) throw BadRequest('The name can only have lowercase letters, digits, ".", "-" and "_".');
          if (!versionPattern.test(version)) throw BadRequest('The version must look like 1.2.3.');
          const blob = await store.receive('${key}', body, actor, contentLength);
          await store.publish({ owner, actor, type: '${key}', name, version, files: [{ name: \`\${name}-\${version}.bin\`, blob }] });
          return reply.created();
        },
      }),
      {
        method: 'GET',
        path: '/{name}/{version}',
        needs: 'read',
        async handler(request) {
          const { version } = await findVersion(request);
          const [file] = (await store.files([version.id])).get(version.id) ?? [];
          if (!file) throw NotFound('file');
          return store.download(file, request);
        },
      },
      {
        method: 'DELETE',
        path: '/{name}/{version}',
        needs: 'write',
        async handler(request) {
          const { package_, version } = await findVersion(request);
          await store.deleteVersion(package_, version, request.actor);
          return reply.none();
        },
      },
      {
        method: 'GET',
        path: '/{name}',
        needs: 'read',
        async handler(request) {
          const package_ = await findPackage(request);
          const versions = await store.versions(package_.id);
          return { name: package_.name, versions: versions.map((one) => one.version) };
        },
      },
    ],
    instructions: ({ baseUrl, package: { name }, version: { version } }) => (
      <>
        <p>Download the file:</p>
        <CopyBlock text={\`curl -O \${baseUrl}/\${name}/\${version}\`} />
      </>
    ),
  };
}
`;

const test = ({ key }: Skeleton): string => `import Lab from '@hapi/lab';
import { describePackageFormat } from '@mortise/plugin-sdk/testing';
import plugin from '../plugin.js';

export const lab = Lab.script();

const content = (version: string) => Buffer.from(\`the content of \${version}\\n\`);

describePackageFormat(lab, {
  plugin,
  key: '${key}',
  name: 'bear',
  versions: ['1.0.0', '1.1.0'],
  publish: (version) => ({ method: 'PUT', path: \`/bear/\${version}\`, payload: content(version) }),
  download: (version) => ({ method: 'GET', path: \`/bear/\${version}\` }),
  content,
  indexes: [{ method: 'GET', path: '/bear' }],
  broken: [
    { method: 'PUT', path: '/bear/one', payload: 'x' },
    { method: 'PUT', path: '/BEAR!/1.0.0', payload: 'x' },
  ],
});
`;

const readme = ({ key, plugin }: Skeleton): string => `# ${plugin}: a ${key} package registry for Mortise

\`\`\`
curl -u ada --upload-file bear.bin https://git.example.com/api/packages/ada/${key}/bear/1.0.0
curl -O https://git.example.com/api/packages/ada/${key}/bear/1.0.0
\`\`\`

\`format.tsx\` is the protocol: change its routes into those of your client, and the instructions on the page of a package
into its commands. \`test/\` runs the conformance kit of package formats.
${readmeEnd(plugin)}`;

/** A registry with four routes: upload, download, list, delete. */
export const packageFormatFiles = (skeleton: Skeleton): Record<string, string> => ({
  'plugin.ts': definition(skeleton),
  'format.tsx': format(skeleton),
  'test/format.test.ts': test(skeleton),
  'README.md': readme(skeleton),
});
