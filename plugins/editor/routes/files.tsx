import { Readable } from 'node:stream';
import {
  Invalid,
  Joi,
  NotFound,
  TooLarge,
  defineRoute,
  formatSize,
  reply,
  type Route,
  type Text,
  type UploadedFile,
} from '@mortise/plugin-sdk';
import type { FileChanges, FileOperation } from '@mortise/files/api';
import type { GitWriter } from '@mortise/git/api';
import { defaultMessages, freshDraft, type CommitDraft } from '../pages/commit-box.js';
import { DeleteForm, UploadForm } from '../pages/file-forms.js';
import type { Frame } from '../pages/frame.js';
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
} from './forms.js';

export interface FileServices {
  readonly targets: EditTargets;
  readonly frame: Frame;
  readonly changes: FileChanges;
  readonly writer: GitWriter;
  readonly settings: Readonly<UploadSettings>;
}

const islands = ['editor-style'];

interface Shown {
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

/** Whole files: uploaded, deleted. */
export function fileRoutes({ targets, frame, changes, writer, settings }: FileServices): Route[] {
  const mebibyte = 1 << 20;
  const showUpload = (route: EditorRoute, target: EditTarget, commit: CommitDraft, { error, status }: Shown = {}) =>
    frame.page(target, route.actor, route.csrf, {
      title: t.later('actions.upload'),
      status,
      islands,
      body: (
        <UploadForm
          {...{ frame, target, commit, error }}
          csrf={route.csrf}
          maxFilesAtOnce={settings.MAX_FILES}
          maxMegabytes={settings.FILE_MAX_SIZE}
        />
      ),
    });
  const filesOf = (sent: unknown): UploadedFile[] => {
    const files = (Array.isArray(sent) ? sent : [sent]).filter(
      (one): one is UploadedFile => one instanceof Readable && (one as UploadedFile).fileName !== '',
    );
    if (files.length === 0) throw Invalid(t.later('error.noFile'));
    if (files.length > settings.MAX_FILES) throw Invalid(t.later('error.tooManyFiles', { max: settings.MAX_FILES }));
    for (const file of files) {
      if (file.size > settings.FILE_MAX_SIZE * mebibyte)
        throw TooLarge(
          t.later('error.fileTooLarge', {
            name: file.fileName,
            size: () => formatSize(settings.FILE_MAX_SIZE * mebibyte),
          }),
        );
      if (!isAllowedType(settings.ALLOWED_TYPES, file.fileName, file.contentType))
        throw Invalid(t.later('error.fileType', { name: file.fileName }));
    }
    return files;
  };
  const store = async (
    target: EditTarget,
    folder: string,
    files: readonly UploadedFile[],
  ): Promise<FileOperation[]> => {
    const paths = files.map((file) => changes.checkPath([folder, file.fileName].filter(Boolean).join('/')));
    const operations: FileOperation[] = [];
    for (const [at, file] of files.entries())
      operations.push({
        operation: 'upload',
        path: paths[at]!,
        oid: await writer.writeBlobStream(target.context.repository.id, file),
      });
    return operations;
  };

  /** The files that go with the path of the target: itself, or all below. */
  const doomed = async (target: EditTarget): Promise<{ sha: string; paths: string[] }> => {
    const entry = await targets.entry(target);
    if (!entry || !target.head) throw NotFound('file');
    if (entry.type !== 'tree') return { sha: entry.oid, paths: [target.path] };
    const paths = await filesBelow(target.git, target.head, target.path);
    if (!paths) throw Invalid(t.later('error.folderTooLarge', { max: maxDeleted }));
    return { sha: '', paths };
  };
  const showDelete = async (
    route: EditorRoute,
    target: EditTarget,
    commit: CommitDraft,
    { error, status }: Shown = {},
  ) => {
    const { sha, paths } = await doomed(target);
    return frame.page(target, route.actor, route.csrf, {
      title: t.later('delete.title', { path: target.path }),
      status,
      islands,
      body: <DeleteForm {...{ frame, target, commit, error, sha, paths }} csrf={route.csrf} />,
    });
  };

  const uploads: Route[] = [
    defineRoute({
      method: 'GET',
      path: '/{owner}/{repo}/_upload/{rest*}',
      access,
      async handler(route) {
        const target = await targets.open(route.resource, route.actor, route.params.rest ?? '');
        return showUpload(route, target, freshDraft(target));
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/{owner}/{repo}/_upload/{rest*}',
      access,
      payload: {
        as: 'multipart',
        // what is a little too much is refused in the form, see filesOf
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
        const { actor, resource, params, payload } = route;
        const opened = await targets.open(resource, actor, params.rest ?? '');
        const target = { ...opened, path: payload.folder.trim().replace(/^\/+|\/+$/g, '') };
        const commit = draftOf(payload);
        try {
          checkLength(t.later('field.folder'), target.path, maxPathLength);
          const operations = await store(target, target.path, filesOf(payload.file));
          const names = operations.map(({ path }) => path).join(', ');
          const result = await changes.apply(resource.repository, actor, {
            operations,
            ...commitOf(
              target,
              commit,
              operations.length === 1 ? `Upload ${names}` : `Upload ${operations.length} files`,
            ),
          });
          const { branch } = result;
          return reply.redirect(branch === target.branch ? frame.source(target) : frame.compare(target, branch));
        } catch (error) {
          const { text, status } = refusalOf(error);
          return showUpload(route, target, commit, { error: text, status });
        }
      },
    }),
  ];

  return [
    ...(settings.ENABLED ? uploads : []),
    defineRoute({
      method: 'GET',
      path: '/{owner}/{repo}/_delete/{rest*}',
      access,
      async handler(route) {
        const target = await targets.open(route.resource, route.actor, route.params.rest ?? '');
        return showDelete(route, target, freshDraft(target));
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/{owner}/{repo}/_delete/{rest*}',
      access,
      payload: { as: 'form' },
      request: {
        payload: Joi.object<DeleteFields>({
          ...commitFields,
          sha: Joi.string().allow('').hex().max(64).default(''),
        }).label('DeleteForm'),
      },
      async handler(route) {
        const { actor, resource, params, payload } = route;
        const target = await targets.open(resource, actor, params.rest ?? '');
        const commit = draftOf(payload);
        const { paths } = await doomed(target);
        try {
          const operations = paths.map((path) => ({
            operation: 'delete' as const,
            path,
            sha: payload.sha || undefined,
          }));
          const request = { operations, ...commitOf(target, commit, defaultMessages.delete(target.path)) };
          const { branch } = await changes.apply(resource.repository, actor, request);
          const folder = target.path.split('/').slice(0, -1).join('/');
          return reply.redirect(
            branch === target.branch ? await nearest(target, folder) : frame.compare(target, branch),
          );
        } catch (error) {
          const { text, status } = refusalOf(error);
          return showDelete(route, target, commit, { error: text, status });
        }
      },
    }),
  ];

  /** The folder itself, or the first above it that is still there: git keeps no empty folders. */
  async function nearest(target: EditTarget, folder: string): Promise<string> {
    const head = (await target.git.branch(target.branch))?.oid;
    for (let path = folder; path; path = path.split('/').slice(0, -1).join('/'))
      if (head && (await target.git.entry(head, path))) return frame.source(target, path);
    return frame.source(target, '');
  }
}
