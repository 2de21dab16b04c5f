import {
  Joi,
  NotFound,
  Problem,
  defineRoute,
  reply,
  type PointReader,
  type Reply,
  type Route,
  type PathParams,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import { isOid, type GitReader, type GitRepository } from '@mortise/git/api';
import type { RepositoryContext } from '@mortise/repositories/api';
import {
  cleanPath,
  guessRevision,
  readCode,
  refOption,
  repositoryApi as base,
  repositoryTags as tags,
  revisionOf,
  splitRevision,
  followRenames,
  type RenamedBranches,
  type Revision,
  type RevisionPath,
} from '@mortise/history/api';
import type { MediaSource } from '../contract/files.js';
import { mediaOf } from '../services/media.js';
import { blobSource, serveBytes, type ServedBlob } from '../services/serve-blob.js';
import { t } from '../texts/index.js';

type FileContext<P, Q = unknown> = RouteContext<RepositoryContext, P, Q>;

const refQuery = Joi.object<{ readonly ref?: string }>({ ref: refOption() }).unknown();

/** Clients compare these words. */
const missing = () => new Problem('not_found', 'not found', { text: t.later('error.noSuchFile') });

interface FileDeps {
  readonly git: GitReader;
  readonly site: Site;
  readonly media: PointReader<MediaSource>;
  readonly renamedBranches: RenamedBranches;
}

const isPrivate = ({ repository }: RepositoryContext) =>
  repository.isPrivate || repository.ownerVisibility !== 'public';

const serve = async (
  { media }: FileDeps,
  { resource, raw }: RouteContext<RepositoryContext>,
  git: GitRepository,
  { revision, path }: RevisionPath,
  kind: 'raw' | 'media',
): Promise<Reply> => {
  const clean = cleanPath(path);
  const entry = clean ? await git.entry(revision.commit, clean) : undefined;
  if (entry?.type !== 'blob') throw missing();
  // The date matters less than the bytes: where the history is damaged they are served all the same.
  const last = (await git.lastCommit(revision.commit, clean).catch(() => undefined)) ?? revision.commit;
  const { committer } = await git.commit(last);
  return serveContent(media, raw.request, git, kind, {
    oid: entry.oid,
    name: clean.slice(clean.lastIndexOf('/') + 1),
    modifiedAt: committer.time,
    isPrivate: isPrivate(resource),
    immutable: revision.kind === 'commit',
  });
};

/** `media`: of a pointer what it stands for. */
const serveContent = async (
  media: PointReader<MediaSource>,
  request: RouteContext['raw']['request'],
  git: GitRepository,
  kind: 'raw' | 'media',
  blob: ServedBlob,
): Promise<Reply> => {
  const stored = kind === 'media' ? await mediaOf(media, git, blob.oid) : undefined;
  if (!stored) return serveBytes(await blobSource(git, blob.oid), blob, request);
  // As it is: clients of LFS count the bytes, and large objects are rarely worth the work of packing them.
  request.info.acceptEncoding = 'identity';
  // What a pointer stands for changes when its object arrives: then it has another tag.
  return serveBytes(stored, { ...blob, oid: `${blob.oid}-${stored.size}` }, request);
};

/** `ref` in the query, or in front of the path as older clients write it. */
const byQuery =
  (deps: FileDeps, kind: 'raw' | 'media') =>
  async (context: FileContext<{ readonly filepath?: string }, { readonly ref?: string }>): Promise<Reply> => {
    const { query } = context;
    const path = context.params.filepath ?? '';
    const { repository } = context.resource;
    const git = deps.git.open(repository.id);
    if (query.ref)
      return serve(deps, context, git, { revision: await revisionOf(git, repository, query.ref), path }, kind);
    const own = await git.branch(repository.defaultBranch);
    const plain = own && (await git.entry(own.oid, cleanPath(path)));
    if (plain?.type === 'blob')
      return serve(
        deps,
        context,
        git,
        {
          revision: { kind: 'branch', name: own!.name, commit: own!.oid },
          path,
        },
        kind,
      );
    const guessed = await guessRevision(git, repository.defaultBranch, path);
    if (!guessed) throw missing();
    return serve(deps, context, git, guessed, kind);
  };

const byPath =
  (deps: FileDeps, word: 'raw' | 'media', kind: Revision['kind']) =>
  async (context: FileContext<{ readonly path?: string }>): Promise<Reply> => {
    const git = deps.git.open(context.resource.repository.id);
    return serve(deps, context, git, await splitRevision(git, kind, context.params.path ?? ''), word);
  };

const page = (path: string, handler: (context: FileContext<PathParams<string>>) => unknown, query?: Joi.ObjectSchema) =>
  defineRoute({
    method: 'GET',
    path: `/{owner}/{repo}${path}` as string,
    surface: 'protocol',
    access: { ...readCode, expensive: true },
    request: query && { query },
    handler,
  });

const apiFile = (deps: FileDeps, kind: 'raw' | 'media', id: string) =>
  defineRoute({
    method: 'GET',
    path: `${base}/${kind}/{filepath*}`,
    id,
    tags,
    summary: 'A file as it is',
    access: readCode,
    request: { query: refQuery },
    responses: { 200: null, 206: null, 416: null },
    handler: byQuery(deps, kind),
  });

const blobPage = ({ git, media }: FileDeps, word: 'raw' | 'media') =>
  page(`/${word}/blob/{oid}`, async ({ resource, params, raw }) => {
    const oid = params.oid ?? '';
    const repository = git.open(resource.repository.id);
    if (!isOid(oid) || (await repository.info(oid))?.type !== 'blob') throw NotFound('blob');
    return serveContent(media, raw.request, repository, word, {
      oid,
      name: oid,
      modifiedAt: resource.repository.createdAt,
      isPrivate: isPrivate(resource),
      immutable: true,
    });
  });

/** Without the kind of the revision: leads to the address that names it. */
const guessedPage = ({ git, site }: FileDeps, word: 'raw' | 'media') =>
  page(`/${word}/{path*}`, async ({ resource, params }) => {
    const { repository } = resource;
    const opened = git.open(repository.id);
    const guessed = await guessRevision(opened, repository.defaultBranch, params.path ?? '');
    if (!guessed || !guessed.path) throw NotFound('file');
    if (!(await opened.entry(guessed.revision.commit, cleanPath(guessed.path))))
      throw new Problem('not_found', 'file does not exist', { text: t.later('error.noSuchFile') });
    const encoded = `${guessed.revision.name}/${guessed.path}`.split('/').map(encodeURIComponent).join('/');
    return reply.redirect(
      site.path(`/${repository.ownerName}/${repository.name}/${word}/${guessed.revision.kind}/${encoded}`),
    );
  });

/** Bytes of files, over the API and beside the pages; programs sign in here too. */
export const fileRoutes = (deps: FileDeps): Route[] => [
  apiFile(deps, 'raw', 'repoGetRawFile'),
  apiFile(deps, 'media', 'repoGetRawFileOrLFS'),
  ...(['raw', 'media'] as const).flatMap((word) => [
    followRenames(deps, page(`/${word}/branch/{path*}`, byPath(deps, word, 'branch'))),
    page(`/${word}/tag/{path*}`, byPath(deps, word, 'tag')),
    page(`/${word}/commit/{path*}`, byPath(deps, word, 'commit')),
    blobPage(deps, word),
    followRenames(deps, guessedPage(deps, word)),
  ]),
];
