import { defineRoute, Joi, NotFound, reply, type Access, type Route } from '@mortise/plugin-sdk';
import { packageFileSchema, packageSchema } from '../contract/packages.js';
import { deleteByHand, type DeletionDeps } from '../services/deletion.js';
import { linkPackage, unlinkPackage, type LinkingDeps } from '../services/linking.js';
import type { PackagePresenter } from '../services/package-presenter.js';
import { packageResource, type PackageResource } from './package-resource.js';

interface PackageRouteDeps extends LinkingDeps, DeletionDeps {
  readonly present: PackagePresenter;
}

const text = Joi.string().required();
const ownerParams = Joi.object<{ readonly owner: string }>({ owner: text });
interface PackageParams {
  readonly owner: string;
  readonly type: string;
  readonly name: string;
}
const packageFields = { owner: text, type: text, name: text };
const packageParams = Joi.object<PackageParams>(packageFields);
const versionParams = Joi.object<PackageParams & { readonly version: string }>({ ...packageFields, version: text });

const root = '/api/v1/packages/{owner}';

const one = `${root}/{type}/{name}`;

const read: Access<PackageResource> = { actor: 'user', scope: 'package', resource: packageResource, mode: 'read' };

const write: Access<PackageResource> = { ...read, mode: 'write' };

const tags = ['package'];

const list = Joi.array().items(packageSchema);

/** What these routes share. */
function packageContext(deps: PackageRouteDeps) {
  const { store, present } = deps;
  return { store, present, deps };
}

type PackageRouteContext = ReturnType<typeof packageContext>;

const listPackages = ({ store, present }: PackageRouteContext) =>
  defineRoute({
    method: 'GET',
    path: root,
    id: 'listPackages',
    tags,
    summary: 'Packages of an owner, each version an entry, newest first',
    access: read,
    request: {
      params: ownerParams,
      query: Joi.object<{ readonly type?: string; readonly q?: string }>({
        type: Joi.string().allow(''),
        q: Joi.string().allow(''),
      }),
    },
    responses: { 200: list },
    handler: async ({ resource: { owner, hasPart }, query, page, actor }) => {
      const { items, total } = await store.search({
        ownerId: owner.id,
        type: query.type || undefined,
        text: query.q,
        open: !hasPart,
        ...page,
      });
      return reply.list(await present.versions(owner, items, actor), total);
    },
  });

const listPackageVersions = ({ store, present }: PackageRouteContext) =>
  defineRoute({
    method: 'GET',
    path: one,
    id: 'listPackageVersions',
    tags,
    summary: 'Versions of a package',
    access: read,
    request: { params: packageParams },
    responses: { 200: list },
    handler: async ({ resource, page, actor }) => {
      const { items, total } = await store.search({ packageId: resource.package!.id, ...page });
      return reply.list(await present.versions(resource.owner, items, actor), total);
    },
  });

const deletePackage = ({ deps }: PackageRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: one,
    id: 'deletePackage',
    tags,
    summary: 'Delete a package with all versions',
    access: write,
    request: { params: packageParams },
    responses: { 204: null },
    handler: async ({ resource, actor }) => {
      await deleteByHand(deps, resource.package!, undefined, actor);
      return reply.none();
    },
  });

const getPackage = ({ present }: PackageRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${one}/{version}`,
    id: 'getPackage',
    tags,
    summary: 'A version of a package',
    access: read,
    request: { params: versionParams },
    responses: { 200: packageSchema },
    handler: async ({ resource, actor }) =>
      (await present.versions(resource.owner, [{ package: resource.package!, version: resource.version! }], actor))[0],
  });

const deletePackageVersion = ({ deps }: PackageRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: `${one}/{version}`,
    id: 'deletePackageVersion',
    tags,
    summary: 'Delete a version of a package',
    access: write,
    request: { params: versionParams },
    responses: { 204: null },
    handler: async ({ resource, actor }) => {
      await deleteByHand(deps, resource.package!, resource.version, actor);
      return reply.none();
    },
  });

const listPackageFiles = ({ store, present }: PackageRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${one}/{version}/files`,
    id: 'listPackageFiles',
    tags,
    summary: 'Files of a version',
    access: read,
    request: { params: versionParams },
    responses: { 200: Joi.array().items(packageFileSchema) },
    handler: async ({ resource: { version } }) =>
      ((await store.files([version!.id])).get(version!.id) ?? []).map((file) => present.file(file)),
  });

const getLatestPackageVersion = ({ store, present }: PackageRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${one}/-/latest`,
    id: 'getLatestPackageVersion',
    tags,
    summary: 'The version that was added last',
    access: read,
    request: { params: packageParams },
    responses: { 200: packageSchema },
    handler: async ({ resource, actor }) => {
      const version = await store.latest(resource.package!.id);
      if (!version) throw NotFound('package version');
      return (await present.versions(resource.owner, [{ package: resource.package!, version }], actor))[0];
    },
  });

const linkPackageRoute = ({ deps }: PackageRouteContext) =>
  defineRoute({
    method: 'POST',
    path: `${one}/-/link/{repo_name}`,
    id: 'linkPackage',
    tags,
    summary: 'Link a package to a repository of the same owner',
    access: write,
    request: {
      params: Joi.object<PackageParams & { readonly repo_name: string }>({ ...packageFields, repo_name: text }),
    },
    responses: { 201: null },
    handler: async ({ resource, params, actor }) => {
      await linkPackage(deps, resource.owner, resource.package!, params.repo_name, actor);
      return reply.empty(201);
    },
  });

const unlinkPackageRoute = ({ store }: PackageRouteContext) =>
  defineRoute({
    method: 'POST',
    path: `${one}/-/unlink`,
    id: 'unlinkPackage',
    tags,
    summary: 'Take away the link of a package to its repository',
    access: write,
    request: { params: packageParams },
    responses: { 204: null },
    handler: async ({ resource }) => {
      await unlinkPackage(store, resource.package!);
      return reply.none();
    },
  });

/** Packages of an owner (PKG-02 … PKG-06). */
export function packageRoutes(deps: PackageRouteDeps): readonly Route[] {
  const context = packageContext(deps);
  return [
    listPackages(context),
    listPackageVersions(context),
    deletePackage(context),
    getPackage(context),
    deletePackageVersion(context),
    listPackageFiles(context),
    getLatestPackageVersion(context),
    linkPackageRoute(context),
    unlinkPackageRoute(context),
  ];
}
