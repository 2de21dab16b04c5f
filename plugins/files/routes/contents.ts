import {
  BadRequest,
  Forbidden,
  Joi,
  Problem,
  defineRoute,
  reply,
  type Actor,
  type Route,
  type RouteContext,
} from '@mortise/plugin-sdk';
import { isCorruptObject } from '@mortise/git/api';
import type { RepositoryContext } from '@mortise/repositories/api';
import {
  changeResponses,
  readCode,
  refOption,
  repositoryApi as base,
  repositoryTags as tags,
  revisionOf,
  pushCode,
} from '@mortise/history/api';
import { everything, includedParts } from '../services/contents-reader.js';
import { t } from '../texts/index.js';
import type { FileServices } from './file-services.js';
import type { FileChangeRequest, FileOperation } from '../contract/files.js';
import {
  contentsExtSchema,
  contentsListSchema,
  contentsSchema,
  fileDeleteSchema,
  fileSchema,
  filesSchema,
  someContentsSchema,
} from './schemas.js';

const optionalText = Joi.string().allow('', null);
const identity = Joi.object({ name: optionalText, email: optionalText }).allow(null).label('Identity');
const branchName = optionalText.max(255);
/** What every change of files may say. */
interface CommonOptions {
  readonly author?: { readonly name?: string | null; readonly email?: string | null } | null;
  readonly committer?: { readonly name?: string | null; readonly email?: string | null } | null;
  readonly dates?: { readonly author?: string | null; readonly committer?: string | null } | null;
  readonly branch?: string | null;
  readonly new_branch?: string | null;
  readonly message?: string | null;
  readonly signoff?: boolean | null;
  readonly force_push?: boolean | null;
}

const common = {
  author: identity,
  committer: identity,
  dates: Joi.object({ author: optionalText, committer: optionalText }).allow(null).label('CommitDateOptions'),
  branch: branchName,
  new_branch: branchName.max(100),
  message: Joi.string().allow('', null),
  signoff: Joi.boolean().allow(null),
  force_push: Joi.boolean().allow(null),
};
const content = Joi.string().allow('', null).description('Base64; absent: an empty file');
interface FileOptions extends CommonOptions {
  readonly content?: string | null;
}

const fileOptions = Joi.object<FileOptions>({ ...common, content }).label('CreateFileOptions');
interface UpdateOptions extends FileOptions {
  readonly sha?: string | null;
  readonly from_path?: string | null;
}

const updateOptions = Joi.object<UpdateOptions>({
  ...common,
  content: content.description('Base64; absent: the text stays'),
  sha: Joi.string().allow('', null),
  from_path: Joi.string().allow('', null),
}).label('UpdateFileOptions');
interface DeleteOptions extends CommonOptions {
  readonly sha: string;
}

const deleteOptions = Joi.object<DeleteOptions>({ ...common, sha: Joi.string().required() }).label('DeleteFileOptions');
interface ManyOptions extends CommonOptions {
  readonly files: readonly {
    readonly operation: 'create' | 'update' | 'upload' | 'rename' | 'delete';
    readonly path: string;
    readonly content?: string | null;
    readonly sha?: string | null;
    readonly from_path?: string | null;
  }[];
}

const manyOptions = Joi.object<ManyOptions>({
  ...common,
  files: Joi.array()
    .items(
      Joi.object({
        operation: Joi.string().valid('create', 'update', 'upload', 'rename', 'delete').required(),
        path: Joi.string().required(),
        content,
        sha: Joi.string().allow('', null),
        from_path: Joi.string().allow('', null),
      }).label('ChangeFileOperation'),
    )
    .required(),
}).label('ChangeFilesOptions');
interface PatchOptions extends CommonOptions {
  readonly content: string;
}

const patchOptions = Joi.object<PatchOptions>({ ...common, content: Joi.string().required() }).label(
  'ApplyDiffPatchFileOptions',
);
const refQuery = Joi.object<{ readonly ref?: string }>({ ref: refOption() });
const pathsQuery = Joi.object<{ readonly ref?: string; readonly body?: string }>({
  ref: refOption(),
  body: Joi.string().allow('').description('JSON: an object with the list `files` of paths'),
});
const pathsBody = Joi.object<{ readonly files: readonly string[] }>({
  files: Joi.array().items(Joi.string().allow('')).required(),
}).label('GetFilesOptions');
const pathsText = Joi.object({ files: Joi.array().items(Joi.string().allow('')).allow(null) }).unknown();
const large = { maxBytes: 64 << 20 };
const fileResponses = { ...changeResponses, 413: null } as const;

/** What the path and the query of a request to read say. */
type ReadContext = RouteContext<RepositoryContext, { readonly filepath?: string }, ExtQuery>;
interface ExtQuery {
  readonly ref?: string;
  readonly includes?: string;
}

/** The paths in a query, which says what the body of the other method says. */
function pathsOf(text: string | undefined): readonly string[] {
  try {
    const { error, value } = pathsText.validate(JSON.parse(text ?? ''), { convert: false });
    if (!error) return value.files ?? [];
  } catch {
    // told below
  }
  throw BadRequest('body must be a JSON object with a list of files.');
}

function request(body: CommonOptions, operations: readonly FileOperation[], patch?: string): FileChangeRequest {
  return {
    operations,
    patch,
    message: body.message || undefined,
    branch: body.branch || undefined,
    newBranch: body.new_branch || undefined,
    author: body.author as FileChangeRequest['author'],
    committer: body.committer as FileChangeRequest['committer'],
    dates: body.dates as FileChangeRequest['dates'],
    signoff: body.signoff === true,
    forcePush: body.force_push === true,
  };
}

const read = <Q extends ExtQuery>(
  path: string,
  id: string,
  handler: (context: RouteContext<RepositoryContext, { readonly filepath?: string }, Q>) => unknown,
  responses: NonNullable<Route['responses']>,
  query: Joi.ObjectSchema<Q>,
) =>
  defineRoute({
    method: 'GET',
    path: `${base}${path}` as string,
    id,
    tags,
    summary: 'Files and folders',
    access: readCode,
    request: { query },
    responses,
    handler,
  });

const extQuery = Joi.object<ExtQuery>({
  ref: refOption(),
  includes: Joi.string().allow('').description('file_content, lfs_metadata, commit_metadata, commit_message'),
});

const extResponses = { 200: contentsExtSchema, 400: null, 413: null };

const fileOrFolder = Joi.alternatives(contentsSchema, contentsListSchema).label('ContentsResponseOrList');

/** What these routes share. */
function contentsContext({ git, contents, changes, commits, verification, branchAccess }: FileServices) {
  /** Who may not write to all of the repository may write to some of its branches. */
  const mayWrite = async (context: RepositoryContext, actor: Actor, change: FileChangeRequest) => {
    if (context.may('write', 'code')) return;
    const branches = await branchAccess.branchesOf(actor, context.repository);
    const branch = change.branch ?? context.repository.defaultBranch;
    if (change.newBranch !== undefined || !branches.has(branch))
      throw Forbidden(t.later('error.branchDenied', { branch }));
  };
  const written = async (context: RepositoryContext, actor: Actor, change: FileChangeRequest) => {
    const { repository } = context;
    await mayWrite(context, actor, change);
    const result = await changes.apply(repository, actor, change);
    const files = await Promise.all(
      result.paths.map((path) =>
        path === undefined ? null : contents.read(repository, result.branch, path, everything),
      ),
    );
    const commit = commits.fileCommit(repository, result.commit);
    return { files, commit, verification: (await verification.verify([result.commit]))[0] };
  };
  const one = async (context: RepositoryContext, actor: Actor, change: FileChangeRequest) => {
    const { files, ...rest } = await written(context, actor, change);
    return { content: files[0] ?? null, ...rest };
  };
  const many = async (resource: RepositoryContext, ref: string | undefined, paths: readonly string[]) => {
    await revisionOf(git.open(resource.repository.id), resource.repository, ref);
    return Promise.all(
      paths.slice(0, 100).map(async (path) => {
        try {
          const entry = await contents.read(resource.repository, ref, path, everything);
          return Array.isArray(entry) ? null : entry;
        } catch (error) {
          const isLeftOut = Problem.is(error) && ['not_found', 'too_large'].includes(error.code);
          if (isCorruptObject(error) || isLeftOut) return null;
          throw error;
        }
      }),
    );
  };
  const plain = async ({ resource, params, query }: ReadContext) =>
    contents.read(resource.repository, query.ref, params.filepath ?? '', everything);
  const extended = async ({ resource, params, query }: ReadContext) => {
    const entry = await contents.read(
      resource.repository,
      query.ref,
      params.filepath ?? '',
      includedParts(query.includes),
    );
    return Array.isArray(entry) ? { dir_contents: entry } : { file_contents: entry };
  };
  return { plain, extended, many, written, one };
}

type ContentsRouteContext = ReturnType<typeof contentsContext>;

const repoGetFileContents = ({ many }: ContentsRouteContext) =>
  read(
    '/file-contents',
    'repoGetFileContents',
    ({ resource, query }) => many(resource, query.ref, pathsOf(query.body)),
    { 200: someContentsSchema, 400: null },
    pathsQuery,
  );

const repoGetFileContentsPost = ({ many }: ContentsRouteContext) =>
  defineRoute({
    method: 'POST',
    path: `${base}/file-contents`,
    id: 'repoGetFileContentsPost',
    tags,
    summary: 'Contents of many files',
    access: readCode,
    request: { query: refQuery, payload: pathsBody },
    responses: { 200: someContentsSchema },
    handler: ({ resource, query, payload }) => many(resource, query.ref, payload.files),
  });

const repoChangeFiles = ({ written }: ContentsRouteContext) =>
  defineRoute({
    method: 'POST',
    path: `${base}/contents`,
    id: 'repoChangeFiles',
    tags,
    summary: 'Change several files in one commit (CNT-22)',
    access: pushCode,
    payload: large,
    request: { payload: manyOptions },
    responses: { 201: filesSchema, ...fileResponses },
    handler: async ({ actor, resource, payload }) =>
      reply.created(
        await written(
          resource,
          actor,
          request(
            payload,
            payload.files.map(
              (file) =>
                ({
                  operation: file.operation,
                  path: file.path,
                  content: file.content ?? undefined,
                  sha: file.sha || undefined,
                  fromPath: file.from_path || undefined,
                }) as FileOperation,
            ),
          ),
        ),
      ),
  });

const repoCreateFile = ({ one }: ContentsRouteContext) =>
  defineRoute({
    method: 'POST',
    path: `${base}/contents/{filepath*}`,
    id: 'repoCreateFile',
    tags,
    summary: 'Create a file',
    access: pushCode,
    payload: large,
    request: { payload: fileOptions },
    responses: { 201: fileSchema, ...fileResponses },
    handler: async ({ actor, resource, params, payload }) =>
      reply.created(
        await one(
          resource,
          actor,
          request(payload, [
            { operation: 'create', path: params.filepath ?? '', content: payload.content ?? undefined },
          ]),
        ),
      ),
  });

const repoUpdateFile = ({ one }: ContentsRouteContext) =>
  defineRoute({
    method: 'PUT',
    path: `${base}/contents/{filepath*}`,
    id: 'repoUpdateFile',
    tags,
    summary: 'Update, move or (without sha) create a file',
    access: pushCode,
    payload: large,
    request: { payload: updateOptions },
    responses: { 200: fileSchema, 201: fileSchema, ...fileResponses },
    async handler({ actor, resource, params, payload }) {
      const creates = !payload.sha;
      const content = payload.content ?? undefined;
      const path = params.filepath ?? '';
      const operation: FileOperation = creates
        ? { operation: 'create', path, content, fromPath: payload.from_path || undefined }
        : {
            operation: 'update',
            path,
            content,
            sha: payload.sha,
            fromPath: payload.from_path || undefined,
          };
      return reply.json(await one(resource, actor, request(payload, [operation])), creates ? 201 : 200);
    },
  });

const repoDeleteFile = ({ one }: ContentsRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: `${base}/contents/{filepath*}`,
    id: 'repoDeleteFile',
    tags,
    summary: 'Delete a file',
    access: pushCode,
    request: { payload: deleteOptions },
    responses: { 200: fileDeleteSchema, ...changeResponses },
    handler: ({ actor, resource, params, payload }) =>
      one(resource, actor, request(payload, [{ operation: 'delete', path: params.filepath ?? '', sha: payload.sha }])),
  });

const repoApplyDiffPatch = ({ one }: ContentsRouteContext) =>
  defineRoute({
    method: 'POST',
    path: `${base}/diffpatch`,
    id: 'repoApplyDiffPatch',
    tags,
    summary: 'Apply a unified diff as one commit',
    access: pushCode,
    payload: large,
    request: { payload: patchOptions },
    responses: { 201: fileSchema, ...fileResponses },
    handler: async ({ actor, resource, payload }) =>
      reply.created(await one(resource, actor, request(payload, [], payload.content))),
  });

/** Reading and writing files (CNT-11, CNT-18 to CNT-22). */
export function contentsRoutes(deps: FileServices): Route[] {
  const context = contentsContext(deps);
  const { plain, extended } = context;
  return [
    // of a folder with too many entries nothing is listed
    read('/contents', 'repoGetContentsList', plain, { 200: contentsListSchema, 413: null }, refQuery),
    read('/contents/{filepath*}', 'repoGetContents', plain, { 200: fileOrFolder, 413: null }, refQuery),
    read('/contents-ext', 'repoGetContentsExtRoot', extended, extResponses, extQuery),
    read('/contents-ext/{filepath*}', 'repoGetContentsExt', extended, extResponses, extQuery),
    repoGetFileContents(context),
    repoGetFileContentsPost(context),
    repoChangeFiles(context),
    repoCreateFile(context),
    repoUpdateFile(context),
    repoDeleteFile(context),
    repoApplyDiffPatch(context),
  ];
}
