import { Readable } from 'node:stream';
import {
  defineRoute,
  formatSize,
  Invalid,
  Joi,
  NotFound,
  pageRoute,
  postRoute,
  reply,
  TooLarge,
  type Route,
  type Text,
  type UploadedFile,
} from '@mortise/plugin-sdk';
import type { FileChanges, FileOperation } from '@mortise/files/api';
import type { GitWriter } from '@mortise/git/api';
import type { RepositoryQuota } from '@mortise/repositories/api';
import { defaultMessages, freshDraft, type CommitDraft } from './commit-box.js';
import { DeleteForm, UploadForm } from './file-forms.js';
import type { Frame } from './frame.js';
import { filesBelow, maxDeleted } from '../services/folder.js';
import type { EditTarget, EditTargets } from '../services/target.js';
import { isAllowedType, type UploadSettings } from '../settings.js';
import { t } from '../texts/index.js';
import {
  access,
  checkLength,
  commitFields,
  type CommitFields,
  commitOf,
  draftOf,
  maxPathLength,
  refusalOf,
  type EditorRoute,
} from './commit-form.js';

interface FileServices {
  readonly targets: EditTargets;
  readonly frame: Frame;
  readonly changes: FileChanges;
  readonly writer: GitWriter;
  readonly repositoryQuota: RepositoryQuota;
  readonly settings: Readonly<UploadSettings>;
}

const islands = ['editor-style'];

interface FormState {
  readonly error?: Text;
  readonly status?: number;
}

type DeleteFields = CommitFields & {
  readonly sha: string;
};

type UploadFields = CommitFields & {
  readonly folder: string;
  readonly file?: unknown;
};

const mebibyte = 1 << 20;

const openTarget = ({ targets }: FileServices, { resource, actor, params }: EditorRoute): Promise<EditTarget> =>
  targets.open(resource, actor, params.rest ?? '');

function showUpload(
  { frame, settings }: FileServices,
  route: EditorRoute,
  target: EditTarget,
  commit: CommitDraft,
  { error, status }: FormState = {},
) {
  return frame.page(target, route.actor, {
    title: t.later('actions.upload'),
    status,
    islands,
    body: (
      <UploadForm
        {...{ frame, target, commit, error }}
        maxFilesAtOnce={settings.MAX_FILES}
        maxMegabytes={settings.FILE_MAX_SIZE}
      />
    ),
  });
}

/** The files of the form; Invalid or too large where they are not what the settings allow. */
function uploadedFiles(settings: UploadSettings, sent: unknown): UploadedFile[] {
  const files = (Array.isArray(sent) ? sent : [sent]).filter(
    (one): one is UploadedFile => one instanceof Readable && (one as UploadedFile).fileName !== '',
  );
  const maxBytes = settings.FILE_MAX_SIZE * mebibyte;
  if (files.length === 0) throw Invalid(t.later('error.noFile'));
  if (files.length > settings.MAX_FILES) throw Invalid(t.later('error.tooManyFiles', { max: settings.MAX_FILES }));
  for (const { fileName, size, contentType } of files) {
    if (size > maxBytes)
      throw TooLarge(t.later('error.fileTooLarge', { name: fileName, size: () => formatSize(maxBytes) }));
    if (!isAllowedType(settings.ALLOWED_TYPES, fileName, contentType))
      throw Invalid(t.later('error.fileType', { name: fileName }));
  }
  return files;
}

/** Writes the files as objects of the repository, for the commit that adds them. */
async function storeUploads(
  { changes, repositoryQuota, writer }: FileServices,
  { context, path: folder }: EditTarget,
  files: readonly UploadedFile[],
): Promise<FileOperation[]> {
  await repositoryQuota.check(context.repository.id, 'size:repos', 0);
  const paths = files.map((file) => changes.checkPath([folder, file.fileName].filter(Boolean).join('/')));
  const operations: FileOperation[] = [];
  for (const [at, file] of files.entries()) {
    const oid = await writer.writeBlobStream(context.repository.id, file);
    operations.push({ operation: 'upload', path: paths[at]!, oid });
  }
  return operations;
}

const uploadPage = (services: FileServices): Route =>
  pageRoute('/{owner}/{repo}/_upload/{rest*}', access, async (route) => {
    const target = await openTarget(services, route);
    return showUpload(services, route, target, freshDraft(target));
  });

const uploadFiles = (services: FileServices): Route => {
  const { frame, changes, settings } = services;
  return defineRoute({
    method: 'POST',
    path: '/{owner}/{repo}/_upload/{rest*}',
    access,
    payload: {
      as: 'multipart',
      // what is a little too much is refused in the form, see uploadedFiles
      maxFiles: 2 * settings.MAX_FILES + 1,
      maxBytes: (settings.MAX_FILES * settings.FILE_MAX_SIZE + 1) * mebibyte,
    },
    request: {
      payload: Joi.object<UploadFields>({
        ...commitFields,
        folder: Joi.string().allow('').default(''),
        file: Joi.any(),
      }).label('UploadForm'),
    },
    async handler(route) {
      const { actor, resource, payload } = route;
      const target = { ...(await openTarget(services, route)), path: payload.folder.trim().replace(/^\/+|\/+$/g, '') };
      const commit = draftOf(payload);
      try {
        checkLength(t.later('field.folder'), target.path, maxPathLength);
        const operations = await storeUploads(services, target, uploadedFiles(settings, payload.file));
        const what = operations.length === 1 ? operations[0]!.path : `${operations.length} files`;
        const request = { operations, ...commitOf(target, commit, `Upload ${what}`) };
        const { branch } = await changes.apply(resource.repository, actor, request);
        return reply.redirect(branch === target.branch ? frame.source(target) : frame.compare(target, branch));
      } catch (error) {
        const { text, status } = refusalOf(error);
        return showUpload(services, route, target, commit, { error: text, status });
      }
    },
  });
};

/** The files that go with the path of the target: itself, or all below. */
async function filesToDelete({ targets }: FileServices, target: EditTarget): Promise<{ sha: string; paths: string[] }> {
  const entry = await targets.entry(target);
  if (!entry || !target.head) throw NotFound('file');
  if (entry.type !== 'tree') return { sha: entry.oid, paths: [target.path] };
  const paths = await filesBelow(target.git, target.head, target.path);
  if (!paths) throw Invalid(t.later('error.folderTooLarge', { max: maxDeleted }));
  return { sha: '', paths };
}

async function showDelete(
  services: FileServices,
  route: EditorRoute,
  target: EditTarget,
  commit: CommitDraft,
  { error, status }: FormState = {},
) {
  const { frame } = services;
  const { sha, paths } = await filesToDelete(services, target);
  return frame.page(target, route.actor, {
    title: t.later('delete.title', { path: target.path }),
    status,
    islands,
    body: <DeleteForm {...{ frame, target, commit, error, sha, paths }} />,
  });
}

/** The folder itself, or the first above it that is still there: git keeps no empty folders. */
async function nearestFolder(frame: Frame, target: EditTarget, folder: string): Promise<string> {
  const head = (await target.git.branch(target.branch))?.oid;
  for (let path = folder; path; path = path.split('/').slice(0, -1).join('/'))
    if (head && (await target.git.entry(head, path))) return frame.source(target, path);
  return frame.source(target, '');
}

const deletePage = (services: FileServices): Route =>
  pageRoute('/{owner}/{repo}/_delete/{rest*}', access, async (route) => {
    const target = await openTarget(services, route);
    return showDelete(services, route, target, freshDraft(target));
  });

const deleteFiles = (services: FileServices): Route =>
  postRoute(
    '/{owner}/{repo}/_delete/{rest*}',
    access,
    async (route) => {
      const { frame, changes } = services;
      const { actor, resource, payload } = route;
      const target = await openTarget(services, route);
      const commit = draftOf(payload);
      const { paths } = await filesToDelete(services, target);
      try {
        const sha = payload.sha || undefined;
        const operations = paths.map((path) => ({ operation: 'delete' as const, path, sha }));
        const request = { operations, ...commitOf(target, commit, defaultMessages.delete(target.path)) };
        const { branch } = await changes.apply(resource.repository, actor, request);
        const folder = target.path.split('/').slice(0, -1).join('/');
        return reply.redirect(
          branch === target.branch ? await nearestFolder(frame, target, folder) : frame.compare(target, branch),
        );
      } catch (error) {
        const { text, status } = refusalOf(error);
        return showDelete(services, route, target, commit, { error: text, status });
      }
    },
    {
      payload: Joi.object<DeleteFields>({
        ...commitFields,
        sha: Joi.string().allow('').hex().max(64).default(''),
      }).label('DeleteForm'),
    },
  );

/** Whole files: uploaded, deleted. */
export const fileRoutes = (services: FileServices): Route[] => [
  ...(services.settings.ENABLED ? [uploadPage(services), uploadFiles(services)] : []),
  deletePage(services),
  deleteFiles(services),
];
