import { reply } from '@mortise/plugin-sdk';
import { definePackageRoute, type PackageRequest, type PackageRoute, type PackageStore } from '@mortise/packages/api';
import { referenceOf, type Place, type Reference } from '../services/references.js';
import type { Recipes, Revision } from '../services/recipes.js';

const shown = ({ revision, time }: Revision) => ({ revision, time: new Date(time).toISOString() });

const at = '/v2/conans/{name}/{version}/{user}/{channel}';
const revision = `${at}/revisions/{rrev}`;
const binary = `${revision}/packages/{pid}`;
const binaryRevision = `${binary}/revisions/{prev}`;

/** What both recipes and binaries of them answer. */
class RevisionHandlers {
  readonly #recipes: Recipes;

  constructor(recipes: Recipes) {
    this.#recipes = recipes;
  }

  async #open(request: PackageRequest) {
    const reference = referenceOf(request.params);
    return { reference, recipe: await this.#recipes.need(request.owner, reference) };
  }

  async #revisions(request: PackageRequest): Promise<readonly Revision[]> {
    const recipes = this.#recipes;
    const { reference, recipe } = await this.#open(request);
    const found =
      reference.packageId === undefined ? recipes.revisions(recipe) : recipes.packageRevisions(recipe, reference);
    // the files of a binary make no recipe
    if (found.length === 0) recipes.filesOf(recipe, { ...reference, recipeRevision: '', packageRevision: '' });
    return found;
  }

  readonly list = async (request: PackageRequest) => ({
    reference: `${request.params.name}/${request.params.version}`,
    revisions: (await this.#revisions(request)).map(shown),
  });

  readonly latest = async (request: PackageRequest) => shown((await this.#revisions(request))[0]!);

  readonly files = async (request: PackageRequest) => {
    const { reference, recipe } = await this.#open(request);
    const files = this.#recipes.filesOf(recipe, reference);
    return { files: Object.fromEntries(files.map(({ name }) => [name, null])) };
  };

  readonly binaries = async (request: PackageRequest) => {
    const { reference, recipe } = await this.#open(request);
    return this.#recipes.binaries(recipe, this.#recipes.complete(recipe, reference).recipeRevision!);
  };
}

const fileRoutes = (
  recipes: Recipes,
  store: PackageStore,
  path: string,
  what: 'Recipe' | 'Binary',
): readonly PackageRoute[] => [
  {
    method: 'GET',
    path: `${path}/files`,
    needs: 'read',
    id: `conan${what}Files`,
    handler: new RevisionHandlers(recipes).files,
  },
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
  recipes: Recipes,
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

/** The protocol with revisions (reference: 10.8). */
export function v2Routes(recipes: Recipes, store: PackageStore): readonly PackageRoute[] {
  const handlers = new RevisionHandlers(recipes);
  return [
    {
      ...get('/v2/conans/search', 'conanSearch', async ({ owner, query }) => ({
        results: await recipes.search(owner, query.q ?? '', query.ignorecase !== 'False'),
      })),
      summary: 'Search recipes; q has * and ?',
    },
    get(`${at}/search`, 'conanBinaries', handlers.binaries),
    get(`${at}/latest`, 'conanLatest', handlers.latest),
    get(`${at}/revisions`, 'conanRevisions', handlers.list),
    get(`${revision}/search`, 'conanBinariesOfRevision', handlers.binaries),
    ...fileRoutes(recipes, store, revision, 'Recipe'),
    get(`${binary}/latest`, 'conanBinaryLatest', handlers.latest),
    get(`${binary}/revisions`, 'conanBinaryRevisions', handlers.list),
    ...fileRoutes(recipes, store, binaryRevision, 'Binary'),
    removal(recipes, at, 'conanDeleteRecipe', () => () => true),
    removal(
      recipes,
      revision,
      'conanDeleteRevision',
      ({ recipeRevision }) =>
        (place) =>
          place.recipeRevision === recipeRevision,
    ),
    removal(
      recipes,
      `${revision}/packages`,
      'conanDeleteBinaries',
      ({ recipeRevision }) =>
        (place) =>
          place.recipeRevision === recipeRevision && place.packageId !== undefined,
    ),
    removal(
      recipes,
      binary,
      'conanDeleteBinary',
      ({ recipeRevision, packageId }) =>
        (place) =>
          place.recipeRevision === recipeRevision && place.packageId === packageId,
    ),
    removal(
      recipes,
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
