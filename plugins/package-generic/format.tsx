import { BadRequest, Conflict, CopyBlock, NotFound, reply, shellQuote } from '@mortise/plugin-sdk';
import {
  definePackageRoute,
  type PackageFormat,
  type PackageRequest,
  type PackageRoute,
  type PackageStore,
  type PackageView,
} from '@mortise/packages/api';
import { t } from './texts/index.js';

const namePattern = /^[-_+.\w]+$/;
const filePattern = /^[-_+=:;.()[\]{}~!@#$%^& \w]+$/;

/** Names that the format takes (reference: 10.1); throws for others. */
function checkNames(name: string, version: string, file?: string): void {
  const badName =
    !namePattern.test(name) || name === '..' || (name.length === 1 && !/[A-Za-z0-9]/.test(name)) || name.length > 255;
  if (badName) throw BadRequest('package name is invalid');
  const steps = /(^|[\\/])\.\.?([\\/]|$)/.test(version);
  if (version === '' || version.trim() !== version || version.length > 255 || steps)
    throw BadRequest('package version is invalid');
  if (file === undefined) return;
  if (!filePattern.test(file) || file.trim() !== file || file === '.' || file === '..' || file.length > 255)
    throw BadRequest('package file name is invalid');
}

/** Files by name and version, and no more. */
export function genericFormat(store: PackageStore): PackageFormat {
  const findFile = async ({ owner, params }: PackageRequest) => {
    const package_ = await store.find(owner.id, 'generic', params.name!);
    const version = package_ && (await store.findVersion(package_.id, params.version!));
    if (!version) throw NotFound('package version');
    return { package_, version };
  };
  const foundFile = async (request: PackageRequest) => {
    const { package_, version } = await findFile(request);
    const file = await store.findFile(version.id, request.params.file!);
    if (!file) throw NotFound('package file');
    return { package_, version, file };
  };
  const routes: readonly PackageRoute[] = [
    definePackageRoute({
      method: 'PUT',
      path: '/{name}/{version}/{file}',
      needs: 'write',
      body: 'stream',
      handler: async (request) => {
        const { owner, actor, params } = request;
        const { name, version, file } = params as { name: string; version: string; file: string };
        checkNames(name, version, file);
        const before = await store.find(owner.id, 'generic', name);
        const same = before && (await store.findVersion(before.id, version));
        if (same && (await store.findFile(same.id, file))) throw Conflict('package file already exists');
        const blob = await store.receive('generic', request.body, actor, request.contentLength);
        await store.publish({
          owner,
          actor,
          type: 'generic',
          name,
          version,
          files: [{ name: file, blob }],
          onVersion: 'join',
        });
        return reply.empty(201);
      },
    }),
    {
      method: 'GET',
      path: '/{name}/{version}/{file}',
      needs: 'read',
      handler: async (request) => store.download((await foundFile(request)).file, request),
    },
    {
      method: 'DELETE',
      path: '/{name}/{version}/{file}',
      needs: 'write',
      body: 'none',
      handler: async (request) => {
        const { package_, version, file } = await foundFile(request);
        await store.deleteFile(package_, version, file, request.actor);
        return reply.none();
      },
    },
    {
      method: 'DELETE',
      path: '/{name}/{version}',
      needs: 'write',
      body: 'none',
      handler: async (request) => {
        const { package_, version } = await findFile(request);
        await store.deleteVersion(package_, version, request.actor);
        return reply.none();
      },
    },
  ];
  return {
    key: 'generic',
    label: 'Generic',
    icon: 'file-binary',
    order: 10,
    routes,
    instructions: Instructions,
  };
}

function Instructions({ package: package_, version, files, baseUrl }: PackageView) {
  const file = files[0]?.name ?? 'FILE';
  const address = [package_.name, version.version, file].map(encodeURIComponent).join('/');
  return (
    <>
      <p>{t('install.download')}</p>
      <CopyBlock text={`curl -O ${shellQuote(`${baseUrl}/${address}`)}`} />
    </>
  );
}
