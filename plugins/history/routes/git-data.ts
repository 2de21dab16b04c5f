import {
  BadRequest,
  Invalid,
  Joi,
  NotFound,
  PreparedJson,
  defineRoute,
  reply,
  type MemoryCache,
  type Route,
  zonedTime,
  queryFlag,
} from '@mortise/plugin-sdk';
import { isOid, isRefName, type GitReader, type GitRepository, type Ref } from '@mortise/git/api';
import type { Repositories, Repository } from '@mortise/repositories/api';
import type { CommitModels } from '../contract/commits.js';
import { lfsPointer } from '../contract/lfs-pointer.js';
import { commitOf } from '../contract/revisions.js';
import { commitParts, readCode, repositoryApi as base, repositoryTags as tags } from '../contract/routes.js';
import { listOf } from '../contract/schemas.js';
import type { CommitVerification } from '../contract/signatures.js';
import { annotatedTagSchema, blobSchema, noteSchema, referenceSchema, treeSchema } from './schemas.js';
import { t } from '../texts/index.js';

interface GitDataServices {
  readonly git: GitReader;
  readonly commits: CommitModels;
  readonly repositories: Repositories;
  readonly verification: CommitVerification;
  readonly responses: MemoryCache<unknown>;
}

const maxInlineBytes = 10 << 20;
const maxEntries = 1000;
/** Entries of a page; what is no number asks for as many as there may be, as `page` and `limit` do everywhere. */
const pageSize = (asked: unknown) =>
  /^[1-9]\d{0,8}$/.test(String(asked)) ? Math.min(Number(asked), maxEntries) : maxEntries;

interface GetTreeQuery {
  readonly recursive: boolean;
  readonly page?: unknown;
  readonly per_page?: unknown;
}

/** What these routes share. */
function gitDataContext({ git: reader, commits, repositories, verification, responses }: GitDataServices) {
  /** One page of a tree. It depends on nothing but the id of the tree, so it is kept as it is sent. */
  const treePage = async (
    repository: Repository,
    tree: string,
    recursive: boolean,
    page: number,
    maxEntries: number,
  ) => {
    const api = repositories.apiUrl(repository);
    const key = `tree:${api}:${tree}:${recursive}:${page}:${maxEntries}`;
    const make = async () => {
      const git = reader.open(repository.id);
      const offset = (page - 1) * maxEntries;
      const read = recursive
        ? await git.treeRecursive(tree, { offset, limit: maxEntries })
        : await (async () => {
            const all = await git.tree(tree);
            const entries = await Promise.all(
              all.slice(offset, offset + maxEntries).map(async (entry) => ({
                ...entry,
                path: entry.name,
                size: entry.type === 'blob' ? (await git.info(entry.oid))?.size : 0,
              })),
            );
            return { entries, total: all.length };
          })();
      const body = new PreparedJson({
        sha: tree,
        url: `${api}/git/trees/${tree}`,
        tree: read.entries.map((entry) => ({
          path: entry.path,
          mode: entry.mode.padStart(6, '0'),
          type: entry.type,
          size: entry.size ?? 0,
          sha: entry.oid,
          url: entry.type === 'commit' ? '' : `${api}/git/${entry.type}s/${entry.oid}`,
        })),
        truncated: offset + read.entries.length < read.total,
        page,
        total_count: read.total,
      });
      return { body, total: read.total };
    };
    const size = (kept: unknown) => 4 * (kept as { body: PreparedJson }).body.text.length;
    return (await responses.load(key, make, { size })) as Awaited<ReturnType<typeof make>>;
  };
  const refRecord = async (git: GitRepository, repository: Repository, ref: Ref) => {
    const type = (await git.info(ref.oid))?.type ?? 'commit';
    const api = repositories.apiUrl(repository);
    return {
      ref: ref.ref,
      url: `${api}/git/${ref.ref}`,
      object: { type, sha: ref.oid, url: `${api}/git/${type}s/${ref.oid}` },
    };
  };
  const refs = async (repository: Repository, path: string) => {
    const git = reader.open(repository.id);
    const clean = path.replace(/^\/+|\/+$/g, '');
    const all = (await git.refs('refs/')).filter(
      (ref) => ref.ref === `refs/${clean}` || ref.ref.startsWith(clean ? `refs/${clean}` : 'refs/'),
    );
    if (all.length === 0) throw NotFound('reference');
    const records = await Promise.all(all.map((ref) => refRecord(git, repository, ref)));
    return records;
  };
  const blob = async (repository: Repository, sha: string) => {
    const git = reader.open(repository.id);
    const info = isOid(sha) ? await git.info(sha) : undefined;
    if (!info || info.type !== 'blob') throw BadRequest('The blob does not exist.');
    const content = info.size <= maxInlineBytes ? await git.blob(sha, maxInlineBytes) : undefined;
    const pointer = content && content.length < 1024 ? lfsPointer(content.toString('utf8')) : undefined;
    return {
      content: content ? content.toString('base64') : null,
      encoding: content ? 'base64' : null,
      url: `${repositories.apiUrl(repository)}/git/blobs/${sha}`,
      sha,
      size: info.size,
      ...(pointer ? { lfs_oid: pointer.oid, lfs_size: pointer.size } : {}),
    };
  };
  return { reader, treePage, blob, refs, repositories, verification, commits };
}

type GitDataRouteContext = ReturnType<typeof gitDataContext>;

const getTree = ({ reader, treePage }: GitDataRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/git/trees/{sha*}`,
    id: 'GetTree',
    tags,
    summary: 'A tree, also recursive and in pages',
    access: readCode,
    request: {
      query: Joi.object<GetTreeQuery>({
        recursive: queryFlag().default(false).description('Folders below too'),
        page: Joi.any().description('Number of the page, from 1'),
        per_page: Joi.any().description('Entries per page, 1000 at most'),
      }),
    },
    responses: { 200: treeSchema, 400: null },
    async handler({ resource, params, query, page }) {
      const { repository } = resource;
      const git = reader.open(repository.id);
      const found = isOid(params.sha ?? '')
        ? { oid: params.sha as string }
        : isRefName(params.sha ?? '')
          ? await git.resolve(params.sha ?? '')
          : undefined;
      const info = found && (await git.info(found.oid));
      const peeled = info && (await git.peel(found.oid));
      if (!peeled || !['commit', 'tree'].includes(peeled.type)) throw BadRequest(`Tree ${params.sha} does not exist.`);
      const tree = peeled.type === 'commit' ? (await git.commit(peeled.oid)).tree : peeled.oid;
      const maxEntries = pageSize(query.per_page);
      const { body, total } = await treePage(repository, tree, query.recursive, page.page, maxEntries);
      return reply.json(body).header('x-total-count', String(total));
    },
  });

const getBlob = ({ blob }: GitDataRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/git/blobs/{sha}`,
    id: 'GetBlob',
    tags,
    summary: 'A blob',
    access: readCode,
    responses: { 200: blobSchema, 400: null },
    handler: ({ resource, params }) => blob(resource.repository, params.sha),
  });

const repoListAllGitRefs = ({ refs }: GitDataRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/git/refs`,
    id: 'repoListAllGitRefs',
    tags,
    summary: 'References',
    access: readCode,
    responses: { 200: listOf(referenceSchema, 'Reference') },
    handler: ({ resource }) => refs(resource.repository, ''),
  });

const repoListGitRefs = ({ refs }: GitDataRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/git/refs/{ref*}`,
    id: 'repoListGitRefs',
    tags,
    summary: 'References that begin so',
    access: readCode,
    responses: { 200: listOf(referenceSchema, 'Reference') },
    handler: ({ resource, params }) => refs(resource.repository, params.ref ?? ''),
  });

const getAnnotatedTag = ({ reader, repositories, verification }: GitDataRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/git/tags/{sha}`,
    id: 'GetAnnotatedTag',
    tags,
    summary: 'A tag object',
    access: readCode,
    responses: { 200: annotatedTagSchema, 400: null },
    async handler({ resource, params }) {
      const { repository } = resource;
      const git = reader.open(repository.id);
      if (!isOid(params.sha) || (await git.info(params.sha))?.type !== 'tag')
        throw BadRequest('The object is not an annotated tag.');
      const tag = await git.annotatedTag(params.sha);
      const api = repositories.apiUrl(repository);
      return {
        tag: tag.name,
        sha: tag.oid,
        url: `${api}/git/tags/${tag.oid}`,
        message: tag.message,
        tagger: tag.tagger ? { name: tag.tagger.name, email: tag.tagger.email, date: zonedTime(tag.tagger) } : null,
        object: { type: tag.type, url: `${api}/git/${tag.type}s/${tag.object}`, sha: tag.object },
        verification: (await verification.verify([tag]))[0],
      };
    },
  });

const repoGetNote = ({ reader, commits }: GitDataRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/git/notes/{sha*}`,
    id: 'repoGetNote',
    tags,
    summary: 'The note on a commit',
    access: readCode,
    request: {
      query: Joi.object<{ readonly files: boolean; readonly verification: boolean }>({
        files: commitParts.files,
        verification: commitParts.verification,
      }),
    },
    responses: { 200: noteSchema, 422: null },
    async handler({ actor, resource, params, query }) {
      const git = reader.open(resource.repository.id);
      if (!isRefName(params.sha ?? ''))
        throw Invalid(t.later('error.badReference', { name: (params.sha ?? '').slice(0, 100) }));
      const oid = await commitOf(git, params.sha ?? '');
      const note = await git.note(oid);
      if (!note) throw NotFound('note');
      const holder = await git.log({ from: [(await git.ref('refs/notes/commits'))!.oid], limit: 1, total: false });
      const [commit] = await commits.commits(resource.repository, holder.commits, actor, { ...query, stat: true });
      return { message: note.message, commit };
    },
  });

/** Trees, blobs, references, tag objects, notes. */
export function gitDataRoutes(deps: GitDataServices): Route[] {
  const context = gitDataContext(deps);
  return [
    getTree(context),
    getBlob(context),
    repoListAllGitRefs(context),
    repoListGitRefs(context),
    getAnnotatedTag(context),
    repoGetNote(context),
  ];
}
