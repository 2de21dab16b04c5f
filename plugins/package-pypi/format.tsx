import { BadRequest, reply, type Reply } from '@mortise/plugin-sdk';
import {
  definePackageRoute,
  type PackageFormat,
  type PackageRequest,
  type PackageRoute,
  type PackageStore,
} from '@mortise/packages/api';
import { About, Instructions, readme } from './pages/view.js';
import type { Mirror } from './services/mirror.js';
import { type, type PageForm, type Projects } from './services/projects.js';

const mediaTypes = {
  html: 'application/vnd.pypi.simple.v1+html',
  json: 'application/vnd.pypi.simple.v1+json',
} as const;

/** The media type that the client accepts (PEP 691); old clients get plain HTML. */
function formOf({ headers, query }: PackageRequest): { form: PageForm; mediaType: string } {
  const asked = `${query.format ?? ''},${headers.accept ?? ''}`;
  if (asked.includes('vnd.pypi.simple.v1+json') || asked.includes('vnd.pypi.simple.latest+json'))
    return { form: 'json', mediaType: mediaTypes.json };
  if (asked.includes(mediaTypes.html)) return { form: 'html', mediaType: mediaTypes.html };
  return { form: 'html', mediaType: 'text/html; charset=utf-8' };
}

const varying = (answer: Reply): Reply => answer.header('vary', 'accept, authorization');
const page = (text: string, mediaType: string): Reply => varying(reply.bytes(Buffer.from(text), mediaType));

interface Deps {
  readonly projects: Projects;
  readonly store: PackageStore;
  readonly mirror: Mirror | undefined;
}

/** Another index, unless the name is one of ours: then it is never asked. */
const elsewhere = async ({ mirror, projects }: Deps, { owner, params }: PackageRequest): Promise<Mirror | undefined> =>
  mirror && !(await projects.find(owner, params.name!)) ? mirror : undefined;

const fileOf = (projects: Projects, { owner, params }: PackageRequest) =>
  projects.needFile(owner, params.name!, params.version!, params.file!);

const release = '/releases/{name}/{version}';

const upload = ({ projects }: Deps): PackageRoute =>
  definePackageRoute({
    method: 'POST',
    path: '/',
    needs: 'write',
    body: 'form',
    id: 'pypiUpload',
    summary: 'Upload a file of a release',
    handler: async ({ owner, actor, body }) => {
      await projects.upload(owner, actor, body);
      return reply.empty(201);
    },
  });

const rootIndex = ({ projects }: Deps): PackageRoute => ({
  method: 'GET',
  path: '/simple',
  needs: 'read',
  id: 'pypiSimpleRoot',
  summary: 'All projects',
  handler: async (request) => {
    const { form, mediaType } = formOf(request);
    return page(await projects.root(request.owner, form), mediaType);
  },
});

const projectIndex = (deps: Deps): PackageRoute => ({
  method: 'GET',
  path: '/simple/{name}',
  needs: 'read',
  id: 'pypiSimple',
  summary: 'Files of a project',
  handler: async (request) => {
    const { form, mediaType } = formOf(request);
    const other = await elsewhere(deps, request);
    if (other) return varying(await other.page(request, form, mediaType));
    const package_ = await deps.projects.need(request.owner, request.params.name!);
    const { text, tag } = await deps.projects.page(package_, form, request.baseUrl);
    return page(text, mediaType).tag(tag);
  },
});

const wheelMetadata = (deps: Deps): PackageRoute => ({
  method: 'GET',
  path: '/files/{name}/{version}/{file}.metadata',
  needs: 'read',
  summary: 'The description inside of a wheel',
  handler: async (request) => {
    const other = await elsewhere(deps, request);
    if (other) return other.metadata(request);
    const { file } = await fileOf(deps.projects, request);
    return reply.bytes(await deps.projects.description(file), 'text/plain; charset=utf-8').tag(file.sha256);
  },
});

const provenance = ({ projects }: Deps): PackageRoute => ({
  method: 'GET',
  path: '/files/{name}/{version}/{file}.provenance',
  needs: 'read',
  summary: 'The attestations of a file',
  handler: async (request) => {
    const { file } = await fileOf(projects, request);
    return { version: 1, attestation_bundles: [{ attestations: await projects.attestations(file) }] };
  },
});

const getFile = (deps: Deps): PackageRoute => ({
  method: 'GET',
  path: '/files/{name}/{version}/{file}',
  needs: 'read',
  handler: async (request) => {
    const other = await elsewhere(deps, request);
    return other ? other.file(request) : deps.store.download((await fileOf(deps.projects, request)).file, request);
  },
});

const deleteFile = ({ projects, store }: Deps): PackageRoute => ({
  method: 'DELETE',
  path: '/files/{name}/{version}/{file}',
  needs: 'write',
  body: 'none',
  handler: async (request) => {
    const { package_, version, file } = await fileOf(projects, request);
    await store.deleteFile(package_, version, file, request.actor);
    return reply.none();
  },
});

const yankRelease = ({ projects }: Deps): PackageRoute =>
  definePackageRoute({
    method: 'PUT',
    path: `${release}/yank`,
    needs: 'write',
    body: 'json',
    maxBytes: 4096,
    summary: 'Yank a release; {"reason": "…"}',
    handler: async ({ owner, params, body }) => {
      const reason = (body as { reason?: unknown } | undefined)?.reason ?? '';
      if (typeof reason !== 'string') throw BadRequest('The reason must be a text.');
      await projects.yank(owner, params.name!, params.version!, reason);
      return reply.none();
    },
  });

const unyankRelease = ({ projects }: Deps): PackageRoute => ({
  method: 'DELETE',
  path: `${release}/yank`,
  needs: 'write',
  body: 'none',
  summary: 'Take a yank back',
  handler: async ({ owner, params }) => {
    await projects.yank(owner, params.name!, params.version!, undefined);
    return reply.none();
  },
});

/** Uploads as twine sends them, and the simple index (reference: 10.3; PEP 503, 592, 658, 691, 700, 740). */
export function pypiFormat(projects: Projects, store: PackageStore, mirror: Mirror | undefined): PackageFormat {
  const deps = { projects, store, mirror };
  return {
    key: type,
    label: 'PyPI',
    takeover: async () => (await import('./takeover/pypi.js')).pypiTakeover,
    order: 40,
    routes: [
      upload(deps),
      rootIndex(deps),
      projectIndex(deps),
      wheelMetadata(deps),
      provenance(deps),
      getFile(deps),
      deleteFile(deps),
      yankRelease(deps),
      unyankRelease(deps),
    ],
    instructions: Instructions,
    about: About,
    readme,
  };
}
