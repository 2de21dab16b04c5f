import { reply } from '@mortise/plugin-sdk';
import { definePackageRoute, type PackageRequest, type PackageRoute, type PackageStore } from '@mortise/packages/api';
import { moduleName, providerName, type Archives } from '../services/archives.js';

const module = ({ params }: PackageRequest) => moduleName(params.name!, params.system!);

const provider = ({ params }: PackageRequest) => providerName(params.name!);

const modules = '/modules/{name}/{system}';

const providers = '/providers/{name}';

/** What these routes share. */
function archiveContext(archives: Archives, store: PackageStore) {
  const needProvider = (request: PackageRequest) =>
    archives.needVersion(request.owner, provider(request), request.params.version!);
  return { archives, store, needProvider };
}

type ArchiveRouteContext = ReturnType<typeof archiveContext>;

const terraformModuleVersions = ({ archives }: ArchiveRouteContext): PackageRoute => ({
  method: 'GET',
  path: `${modules}/versions`,
  needs: 'read',
  id: 'terraformModuleVersions',
  summary: 'Versions of a module',
  handler: async (request) => {
    const versions = await archives.versionNames(request.owner, module(request));
    return { modules: [{ versions: versions.map((version) => ({ version })) }] };
  },
});

const terraformModuleSource = ({ archives }: ArchiveRouteContext): PackageRoute => ({
  method: 'GET',
  path: `${modules}/{version}/download`,
  needs: 'read',
  id: 'terraformModuleSource',
  summary: 'Where a module is downloaded from',
  handler: async (request) => {
    const { owner, params, baseUrl } = request;
    const file = await archives.file(owner, module(request), params.version!);
    const path = ['modules', params.name!, params.system!, params.version!, file.name].map(encodeURIComponent);
    const kind = file.name.endsWith('.zip') ? 'zip' : 'tar.gz';
    return reply.none().header('x-terraform-get', `${baseUrl}/${path.join('/')}?archive=${kind}`);
  },
});

const terraformModuleFile = ({ store, archives }: ArchiveRouteContext): PackageRoute => ({
  method: 'GET',
  path: `${modules}/{version}/{file}`,
  needs: 'read',
  id: 'terraformModuleFile',
  handler: async (request) => {
    const { version, file } = request.params;
    return store.download(await archives.file(request.owner, module(request), version!, file!), request);
  },
});

const terraformPublishModule = ({ archives }: ArchiveRouteContext): PackageRoute =>
  definePackageRoute({
    method: 'PUT',
    path: `${modules}/{version}`,
    needs: 'write',
    body: 'stream',
    id: 'terraformPublishModule',
    summary: 'Publish a module (zip or tar.gz)',
    handler: async ({ owner, actor, params, body, contentLength }) => {
      await archives.publishModule(owner, actor, params, body, contentLength);
      return reply.empty(201);
    },
  });

const terraformDeleteModule = ({ archives }: ArchiveRouteContext): PackageRoute => ({
  method: 'DELETE',
  path: `${modules}/{version}`,
  needs: 'write',
  body: 'none',
  id: 'terraformDeleteModule',
  handler: async (request) => {
    await archives.delete(request.owner, request.actor, module(request), request.params.version!);
    return reply.none();
  },
});

const terraformProviderVersions = ({ archives }: ArchiveRouteContext): PackageRoute => ({
  method: 'GET',
  path: `${providers}/versions`,
  needs: 'read',
  id: 'terraformProviderVersions',
  summary: 'Versions of a provider with their platforms',
  handler: async ({ owner, params }) => ({ versions: await archives.providerVersions(owner, params.name!) }),
});

const terraformProviderPackage = ({ needProvider, archives }: ArchiveRouteContext): PackageRoute => ({
  method: 'GET',
  path: `${providers}/{version}/download/{os}/{arch}`,
  needs: 'read',
  id: 'terraformProviderPackage',
  summary: 'Where a provider is downloaded from, and how it is signed',
  handler: async (request) => {
    const { owner, params, baseUrl } = request;
    const { name, version, os, arch } = params;
    const found = await needProvider(request);
    const fileName = `terraform-provider-${name}_${version}_${os}_${arch}.zip`;
    const file = await archives.file(owner, provider(request), version!, fileName);
    const at = `${baseUrl}/providers/${encodeURIComponent(name!)}/${encodeURIComponent(version!)}`;
    return {
      protocols: archives.protocolsOf(found),
      os,
      arch,
      filename: file.name,
      download_url: `${at}/${encodeURIComponent(file.name)}`,
      shasums_url: `${at}/SHA256SUMS`,
      shasums_signature_url: `${at}/SHA256SUMS.sig`,
      shasum: file.sha256,
      signing_keys: { gpg_public_keys: [await archives.signingKey(owner)] },
    };
  },
});

const terraformProviderSums = ({ archives, needProvider }: ArchiveRouteContext): PackageRoute => ({
  method: 'GET',
  path: `${providers}/{version}/SHA256SUMS`,
  needs: 'read',
  id: 'terraformProviderSums',
  handler: async (request) =>
    reply.bytes(await archives.sums(await needProvider(request)), 'text/plain; charset=utf-8'),
});

const terraformProviderSignature = ({ archives, needProvider }: ArchiveRouteContext): PackageRoute => ({
  method: 'GET',
  path: `${providers}/{version}/SHA256SUMS.sig`,
  needs: 'read',
  id: 'terraformProviderSignature',
  handler: async (request) =>
    reply.bytes(await archives.signature(request.owner, await needProvider(request)), 'application/octet-stream'),
});

const terraformProviderFile = ({ store, archives }: ArchiveRouteContext): PackageRoute => ({
  method: 'GET',
  path: `${providers}/{version}/{file}`,
  needs: 'read',
  id: 'terraformProviderFile',
  handler: async (request) => {
    const { version, file } = request.params;
    return store.download(await archives.file(request.owner, provider(request), version!, file!), request);
  },
});

const terraformPublishProvider = ({ archives }: ArchiveRouteContext): PackageRoute =>
  definePackageRoute({
    method: 'PUT',
    path: `${providers}/{version}/{os}/{arch}`,
    needs: 'write',
    body: 'stream',
    id: 'terraformPublishProvider',
    summary: 'Publish a provider for a platform (zip); ?protocols=5.0,6.0',
    handler: async ({ owner, actor, params, query, body, contentLength }) => {
      const protocols = (query.protocols || '5.0').split(',');
      await archives.publishProvider(owner, actor, params, protocols, body, contentLength);
      return reply.empty(201);
    },
  });

const terraformDeleteProvider = ({ archives }: ArchiveRouteContext): PackageRoute => ({
  method: 'DELETE',
  path: `${providers}/{version}`,
  needs: 'write',
  body: 'none',
  id: 'terraformDeleteProvider',
  handler: async (request) => {
    await archives.delete(request.owner, request.actor, provider(request), request.params.version!);
    return reply.none();
  },
});

/** The registry protocols of Terraform for modules and providers, without their namespace: that is the owner. */
export function archiveRoutes(archives: Archives, store: PackageStore): readonly PackageRoute[] {
  const context = archiveContext(archives, store);
  return [
    terraformModuleVersions(context),
    terraformModuleSource(context),
    terraformModuleFile(context),
    terraformPublishModule(context),
    terraformDeleteModule(context),
    terraformProviderVersions(context),
    terraformProviderPackage(context),
    terraformProviderSums(context),
    terraformProviderSignature(context),
    terraformProviderFile(context),
    terraformPublishProvider(context),
    terraformDeleteProvider(context),
  ];
}
