import { BadRequest, reply } from '@mortise/plugin-sdk';
import { definePackageRoute, type PackageRequest, type PackageRoute, type PackageStore } from '@mortise/packages/api';
import { packageFiles, recipeFiles, referenceOf, type Reference } from '../services/references.js';
import type { Recipes } from '../services/recipes.js';

/** What clients without revisions read and write. */
const only = '0';

const at = '/v1/conans/{name}/{version}/{user}/{channel}';
const binary = `${at}/packages/{pid}`;
const files = '/v1/files/{name}/{version}/{user}/{channel}/{rrev}';

const urlOf = (baseUrl: string, reference: Reference, file: string): string => {
  const { name, version, user, channel, recipeRevision, packageId, packageRevision } = reference;
  const parts = [name, version, user || '_', channel || '_', recipeRevision!];
  parts.push(...(packageId === undefined ? ['recipe'] : ['package', packageId, packageRevision!]), file);
  return `${baseUrl}/v1/files/${parts.map(encodeURIComponent).join('/')}`;
};

const open = async (recipes: Recipes, { owner, params }: PackageRequest) => {
  const given = referenceOf(params);
  const recipe = await recipes.need(owner, given);
  const reference = recipes.complete(recipe, given);
  return { reference, found: recipes.filesOf(recipe, reference) };
};

const sums = (recipes: Recipes) => async (request: PackageRequest) => {
  const { found } = await open(recipes, request);
  return Object.fromEntries(found.map(({ name, md5 }) => [name, md5]));
};

const downloads = (recipes: Recipes) => async (request: PackageRequest) => {
  const { reference, found } = await open(recipes, request);
  return Object.fromEntries(found.map(({ name }) => [name, urlOf(request.baseUrl, reference, name)]));
};

const uploads = ({ params, body, baseUrl }: PackageRequest) => {
  const reference = { ...referenceOf(params), recipeRevision: only };
  const isBinary = reference.packageId !== undefined;
  const names = typeof body === 'object' && body !== null && !Array.isArray(body) ? Object.keys(body) : [];
  const allowed = isBinary ? packageFiles : recipeFiles;
  if (names.length === 0 || names.some((name) => !allowed.includes(name)))
    throw BadRequest('The files are none of a recipe or a package.');
  const whole = isBinary ? { ...reference, packageRevision: only } : reference;
  return Object.fromEntries(names.map((name) => [name, urlOf(baseUrl, whole, name)]));
};

const fileRoutes = (recipes: Recipes, store: PackageStore, path: string, what: string): readonly PackageRoute[] => [
  {
    method: 'GET',
    path: `${path}/{file}`,
    needs: 'read',
    id: `conan1Get${what}File`,
    handler: async (request) =>
      store.download(await recipes.file(request.owner, referenceOf(request.params), request.params.file!), request),
  },
  definePackageRoute({
    method: 'PUT',
    path: `${path}/{file}`,
    needs: 'write',
    body: 'stream',
    id: `conan1Put${what}File`,
    handler: async ({ owner, actor, params, body, contentLength }) => {
      await recipes.put(owner, actor, referenceOf(params), params.file!, body, contentLength);
      return reply.empty(201);
    },
  }),
];

const both = (recipes: Recipes, path: string, what: string): readonly PackageRoute[] => [
  { method: 'GET', path, needs: 'read', id: `conan1${what}Sums`, summary: 'Sums of the files', handler: sums(recipes) },
  ...['digest', 'download_urls'].map((name): PackageRoute => ({
    method: 'GET',
    path: `${path}/${name}`,
    needs: 'read',
    id: `conan1${what}${name === 'digest' ? 'Digest' : 'Downloads'}`,
    handler: downloads(recipes),
  })),
  definePackageRoute({
    method: 'POST',
    path: `${path}/upload_urls`,
    needs: 'write',
    body: 'json',
    maxBytes: 64 * 1024,
    id: `conan1${what}Uploads`,
    summary: 'Where to upload files',
    handler: uploads,
  }),
];

const searchRecipes = (recipes: Recipes): PackageRoute => ({
  method: 'GET',
  path: '/v1/conans/search',
  needs: 'read',
  id: 'conan1Search',
  handler: async ({ owner, query }) => ({
    results: await recipes.search(owner, query.q ?? '', query.ignorecase !== 'False'),
  }),
});

const searchBinaries = (recipes: Recipes): PackageRoute => ({
  method: 'GET',
  path: `${at}/search`,
  needs: 'read',
  id: 'conan1Binaries',
  handler: async ({ owner, params }) => {
    const recipe = await recipes.need(owner, referenceOf(params));
    return recipes.binaries(recipe, recipes.complete(recipe, referenceOf(params)).recipeRevision!);
  },
});

const deleteBinaries = (recipes: Recipes): PackageRoute =>
  definePackageRoute({
    method: 'POST',
    path: `${at}/packages/delete`,
    needs: 'write',
    body: 'json',
    maxBytes: 64 * 1024,
    id: 'conan1DeleteBinaries',
    summary: 'Delete binaries; without ids all of them',
    handler: async ({ owner, actor, params, body }) => {
      const ids = (body as { package_ids?: unknown } | undefined)?.package_ids ?? [];
      if (!Array.isArray(ids)) throw BadRequest('package_ids must be a list.');
      const isWanted = (id: string) => ids.length === 0 || ids.includes(id);
      await recipes.delete(owner, actor, referenceOf(params), ({ packageId }) => !!packageId && isWanted(packageId));
      return reply.text('');
    },
  });

const deleteRecipe = (recipes: Recipes): PackageRoute => ({
  method: 'DELETE',
  path: at,
  needs: 'write',
  body: 'none',
  id: 'conan1DeleteRecipe',
  handler: async ({ owner, actor, params }) => {
    await recipes.delete(owner, actor, referenceOf(params), () => true);
    return reply.text('');
  },
});

/** The protocol of the first version, which asks for addresses before it sends files (reference: 10.8). */
export const v1Routes = (recipes: Recipes, store: PackageStore): readonly PackageRoute[] => [
  searchRecipes(recipes),
  searchBinaries(recipes),
  deleteBinaries(recipes),
  ...both(recipes, at, 'Recipe'),
  ...both(recipes, binary, 'Binary'),
  deleteRecipe(recipes),
  ...fileRoutes(recipes, store, `${files}/recipe`, 'Recipe'),
  ...fileRoutes(recipes, store, `${files}/package/{pid}/{prev}`, 'Binary'),
];
