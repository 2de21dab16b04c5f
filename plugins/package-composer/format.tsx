import { NotFound, reply } from '@mortise/plugin-sdk';
import { definePackageRoute, type PackageFormat, type PackageRoute, type PackageStore } from '@mortise/packages/api';
import { About, Instructions, readme } from './pages/view.js';
import { type, type ComposerPackages } from './services/packages.js';

const numberOf = (text: string | undefined, otherwise: number, max: number): number =>
  text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Math.min(Number(text), max) : otherwise;

const rootIndex: PackageRoute = {
  method: 'GET',
  path: '/packages.json',
  needs: 'read',
  id: 'composerIndex',
  summary: 'Where what is found',
  handler: ({ baseUrl }) => ({
    search: `${baseUrl}/search.json?q=%query%&type=%type%`,
    'metadata-url': `${baseUrl}/p2/%package%.json`,
    list: `${baseUrl}/list.json`,
  }),
};

const search = (packages: ComposerPackages): PackageRoute => ({
  method: 'GET',
  path: '/search.json',
  needs: 'read',
  id: 'composerSearch',
  summary: 'Search packages by name and type',
  handler: async ({ owner, query, baseUrl }) => {
    const [page, perPage] = [numberOf(query.page, 1, 1_000_000), numberOf(query.per_page, 30, 100)];
    const text = query.q?.trim() || undefined;
    const results = await packages.search(owner, { text, type: query.type || undefined, page, perPage });
    const next = new URLSearchParams({
      q: query.q ?? '',
      type: query.type ?? '',
      page: String(page + 1),
      per_page: String(perPage),
    });
    return { ...results, ...(page * perPage < results.total && { next: `${baseUrl}/search.json?${next}` }) };
  },
});

const listNames = (packages: ComposerPackages): PackageRoute => ({
  method: 'GET',
  path: '/list.json',
  needs: 'read',
  id: 'composerList',
  summary: 'Names of all packages',
  handler: async ({ owner }) => ({ packageNames: await packages.names(owner) }),
});

const getPackage = (packages: ComposerPackages): PackageRoute => ({
  method: 'GET',
  path: '/p2/{vendor}/{project}.json',
  needs: 'read',
  id: 'composerPackage',
  summary: 'Versions of a package',
  handler: async ({ owner, params, actor, baseUrl }) => {
    const name = `${params.vendor}/${params.project}`;
    if (!name.endsWith('~dev')) return packages.document(owner, name, actor, baseUrl);
    // branches are not published as versions
    const { name: known } = await packages.need(owner, name.slice(0, -'~dev'.length));
    return { minified: 'composer/2.0', packages: { [known]: [] } };
  },
});

const getFile = (packages: ComposerPackages, store: PackageStore): PackageRoute => ({
  method: 'GET',
  path: '/files/{name}/{version}/{file}',
  needs: 'read',
  handler: async (request) => {
    const { name, version, file } = request.params;
    return store.download(await packages.file(request.owner, name!, version!, file!), request);
  },
});

const upload = (packages: ComposerPackages): PackageRoute =>
  definePackageRoute({
    method: 'PUT',
    path: '/',
    needs: 'write',
    body: 'stream',
    id: 'composerUpload',
    summary: 'Upload a version; ?version= goes before that of the file',
    handler: async ({ owner, actor, body, query, contentLength }) => {
      await packages.upload(owner, actor, body, contentLength, query.version);
      return reply.empty(201);
    },
  });

const deleteVersion = (packages: ComposerPackages, store: PackageStore): PackageRoute => ({
  method: 'DELETE',
  path: '/{vendor}/{project}/{version}',
  needs: 'write',
  body: 'none',
  id: 'composerDelete',
  handler: async ({ owner, actor, params }) => {
    const package_ = await packages.need(owner, `${params.vendor}/${params.project}`);
    const version = await store.findVersion(package_.id, params.version!);
    if (!version) throw NotFound('package version');
    await store.deleteVersion(package_, version, actor);
    return reply.none();
  },
});

/** A repository of Composer 2 (reference: 10.7). */
export function composerFormat(packages: ComposerPackages, store: PackageStore): PackageFormat {
  return {
    key: type,
    label: 'Composer',
    takeover: async () => (await import('./takeover/composer.js')).composerTakeover,
    order: 44,
    routes: [
      rootIndex,
      search(packages),
      listNames(packages),
      getPackage(packages),
      getFile(packages, store),
      upload(packages),
      deleteVersion(packages, store),
    ],
    error: (problem) => reply.json({ errors: [{ status: problem.status, message: problem.message }] }, problem.status),
    instructions: Instructions,
    about: About,
    readme,
  };
}
