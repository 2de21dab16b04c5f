import { reply } from '@mortise/plugin-sdk';
import { definePackageRoute, type PackageRequest, type PackageRoute, type PackageStore } from '@mortise/packages/api';
import { referenceOf, type Place, type Reference } from '../services/references.js';
import type { Recipes, Revision } from '../services/recipes.js';

const shown = ({ revision, time }: Revision) => ({ revision, time: new Date(time).toISOString() });

/** The protocol with revisions (reference: 10.8). */
export function v2Routes(recipes: Recipes, store: PackageStore): readonly PackageRoute[] {
  const at = '/v2/conans/{name}/{version}/{user}/{channel}';
  const revision = `${at}/revisions/{rrev}`;
  const binary = `${revision}/packages/{pid}`;
  const binaryRevision = `${binary}/revisions/{prev}`;

  const open = async (request: PackageRequest) => {
    const reference = referenceOf(request.params);
    return { reference, recipe: await recipes.need(request.owner, reference) };
  };
  const revisionsOf = async (request: PackageRequest): Promise<readonly Revision[]> => {
    const { reference, recipe } = await open(request);
    const found =
      reference.packageId === undefined ? recipes.revisions(recipe) : recipes.packageRevisions(recipe, reference);
    // the files of a binary make no recipe
    if (found.length === 0) recipes.filesOf(recipe, { ...reference, recipeRevision: '', packageRevision: '' });
    return found;
  };
  const listOf = async (request: PackageRequest) => ({
    reference: `${request.params.name}/${request.params.version}`,
    revisions: (await revisionsOf(request)).map(shown),
  });
  const latestOf = async (request: PackageRequest) => shown((await revisionsOf(request))[0]!);
  const filesOf = async (request: PackageRequest) => {
    const { reference, recipe } = await open(request);
    return { files: Object.fromEntries(recipes.filesOf(recipe, reference).map(({ name }) => [name, null])) };
  };
  const binariesOf = async (request: PackageRequest) => {
    const { reference, recipe } = await open(request);
    return recipes.binaries(recipe, recipes.complete(recipe, reference).recipeRevision!);
  };
  const fileRoutes = (path: string, what: 'Recipe' | 'Binary'): readonly PackageRoute[] => [
    { method: 'GET', path: `${path}/files`, needs: 'read', id: `conan${what}Files`, handler: filesOf },
    {
      method: 'GET',
      path: `${path}/files/{file}`,
      needs: 'read',
      id: `conanGet${what}File`,
      handler: async (request) =>
        store.download(await recipes.file(request.owner, referenceOf(request.params), request.params.file!), request),
    },
    definePackageRoute({
      method: 'PUT',
      path: `${path}/files/{file}`,
      needs: 'write',
      body: 'stream',
      id: `conanPut${what}File`,
      summary: 'Upload a file',
      handler: async ({ owner, actor, params, body, contentLength }) => {
        await recipes.put(owner, actor, referenceOf(params), params.file!, body, contentLength);
        return reply.empty(201);
      },
    }),
  ];
  const removal = (
    path: string,
    id: string,
    suits: (reference: Reference) => (place: Place) => boolean,
  ): PackageRoute => ({
    method: 'DELETE',
    path,
    needs: 'write',
    body: 'none',
    id,
    handler: async ({ owner, actor, params }) => {
      const reference = referenceOf(params);
      await recipes.delete(owner, actor, reference, suits(reference));
      return reply.text('');
    },
  });
  const get = (path: string, id: string, handler: PackageRoute['handler']): PackageRoute => ({
    method: 'GET',
    path,
    needs: 'read',
    id,
    handler,
  });
  return [
    {
      ...get('/v2/conans/search', 'conanSearch', async ({ owner, query }) => ({
        results: await recipes.search(owner, query.q ?? '', query.ignorecase !== 'False'),
      })),
      summary: 'Search recipes; q has * and ?',
    },
    get(`${at}/search`, 'conanBinaries', binariesOf),
    get(`${at}/latest`, 'conanLatest', latestOf),
    get(`${at}/revisions`, 'conanRevisions', listOf),
    get(`${revision}/search`, 'conanBinariesOfRevision', binariesOf),
    ...fileRoutes(revision, 'Recipe'),
    get(`${binary}/latest`, 'conanBinaryLatest', latestOf),
    get(`${binary}/revisions`, 'conanBinaryRevisions', listOf),
    ...fileRoutes(binaryRevision, 'Binary'),
    removal(at, 'conanDeleteRecipe', () => () => true),
    removal(
      revision,
      'conanDeleteRevision',
      ({ recipeRevision }) =>
        (place) =>
          place.recipeRevision === recipeRevision,
    ),
    removal(
      `${revision}/packages`,
      'conanDeleteBinaries',
      ({ recipeRevision }) =>
        (place) =>
          place.recipeRevision === recipeRevision && place.packageId !== undefined,
    ),
    removal(
      binary,
      'conanDeleteBinary',
      ({ recipeRevision, packageId }) =>
        (place) =>
          place.recipeRevision === recipeRevision && place.packageId === packageId,
    ),
    removal(
      binaryRevision,
      'conanDeleteBinaryRevision',
      ({ recipeRevision, packageId, packageRevision }) =>
        (place) =>
          place.recipeRevision === recipeRevision &&
          place.packageId === packageId &&
          place.packageRevision === packageRevision,
    ),
  ];
}
