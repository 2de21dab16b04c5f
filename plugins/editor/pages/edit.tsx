import { defineRoute, formatSize, Invalid, Joi, pageRoute, reply, type Route, type Text } from '@mortise/plugin-sdk';
import type { FileChanges } from '@mortise/files/api';
import type { GitWriter } from '@mortise/git/api';
import { markupIslands, type Markup, type SafeHtml } from '@mortise/markup/api';
import { defaultMessages, freshDraft, type CommitDraft } from './commit-box.js';
import { EditForm, PatchForm, type FileDraft } from './edit-form.js';
import type { Frame } from './frame.js';
import { maxTextBytes, readText, writtenText } from '../services/text.js';
import type { EditTarget, EditTargets } from '../services/target.js';
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

export interface EditServices {
  readonly targets: EditTargets;
  readonly frame: Frame;
  readonly changes: FileChanges;
  readonly writer: GitWriter;
  readonly markup: Markup;
}

interface FormState {
  readonly error?: Text;
  readonly status?: number;
  readonly preview?: SafeHtml;
  readonly diff?: string;
}

const islands = [...markupIslands, 'editor', 'editor-style'];
const folderOf = (path: string) => path.split('/').slice(0, -1).join('/');

type PatchFields = CommitFields & {
  readonly patch: string;
};

type TextFields = CommitFields & {
  readonly path: string;
  readonly content: string;
  readonly sha: string;
  readonly do: 'save' | 'preview' | 'diff';
};

const textFields = {
  ...commitFields,
  path: Joi.string().allow('').required(),
  content: Joi.string().allow('').default(''),
  sha: Joi.string().allow('').hex().max(64).default(''),
  do: Joi.string().valid('save', 'preview', 'diff').default('save'),
};

const payload = { as: 'form', maxBytes: 4 * maxTextBytes } as const;

/** What these routes share. */
function editContext({ targets, frame, changes, writer, markup }: EditServices) {
  const show = (route: EditorRoute, target: EditTarget, file: FileDraft, commit: CommitDraft, shown: FormState = {}) =>
    frame.page(target, route.actor, {
      title: file.sha ? t.later('edit.title', { path: file.path }) : t.later('actions.new'),
      status: shown.status,
      islands,
      body: <EditForm frame={frame} target={target} file={file} commit={commit} {...shown} />,
    });
  const done = (target: EditTarget, branch: string, path: string) =>
    reply.redirect(branch === target.branch ? frame.source(target, path, branch) : frame.compare(target, branch));
  const preview = async (target: EditTarget, file: FileDraft, viewer: EditorRoute) => {
    const folder = folderOf(file.path);
    const html = await markup.renderFile(file.path, file.content, {
      viewer,
      linkBase: frame.source(target, folder),
      imageBase: frame.raw(target, folder),
      repository: `${target.context.repository.ownerName}/${target.context.repository.name}`,
    });
    if (html !== undefined) return html;
    const { lines } = await markup.highlight(file.path, file.content, viewer);
    return `<pre class="mb-0"><code>${lines.join('\n')}</code></pre>` as SafeHtml;
  };
  const difference = async (target: EditTarget, file: FileDraft, content: Buffer) => {
    const oid = await writer.writeBlob(target.context.repository.id, content);
    return oid === file.sha
      ? ''
      : target.git.run(['diff', '--no-color', '--no-ext-diff', file.sha, oid], { maxBytes: 2 * maxTextBytes });
  };
  /** One form for new and changed files: show something, or commit. */
  const submit = async (route: EditorRoute<TextFields>, isNew: boolean) => {
    const { payload, actor, resource, params } = route;
    const target = await targets.open(resource, actor, params.rest ?? '');
    const sha = isNew ? '' : payload.sha;
    const file: FileDraft = { path: payload.path.trim().replace(/^\/+/, ''), content: payload.content, sha };
    const commit = draftOf(payload);
    const before = isNew ? undefined : await readText(target.git, sha);
    const content = writtenText(payload.content, before?.crlf ?? false);
    if (payload.do === 'preview')
      return show(route, target, file, commit, { preview: await preview(target, file, route) });
    if (payload.do === 'diff' && before)
      return show(route, target, file, commit, { diff: await difference(target, file, content) });
    try {
      checkLength(t.later('field.path'), file.path, maxPathLength);
      const path = changes.checkPath(file.path);
      if (content.length > maxTextBytes)
        throw Invalid(t.later('error.textTooLong', { size: () => formatSize(maxTextBytes) }));
      const result = await changes.apply(resource.repository, actor, {
        operations: [
          isNew
            ? { operation: 'create', path, content: content.toString('base64') }
            : { operation: 'update', path, fromPath: target.path, sha, content: content.toString('base64') },
        ],
        ...commitOf(target, commit, `${isNew ? 'Add' : 'Update'} ${path}`),
      });
      return done(target, result.branch, path);
    } catch (error) {
      const { text, status } = refusalOf(error);
      return show(route, target, file, commit, { error: text, status });
    }
  };
  const showPatch = (
    route: EditorRoute,
    target: EditTarget,
    patch: string,
    commit: CommitDraft,
    shown: FormState = {},
  ) =>
    frame.page(target, route.actor, {
      title: t.later('actions.patch'),
      status: shown.status,
      islands: ['editor-style'],
      body: <PatchForm frame={frame} target={target} patch={patch} commit={commit} error={shown.error} />,
    });
  return { targets, show, submit, showPatch, changes, done };
}

type EditRouteContext = ReturnType<typeof editContext>;

const newFilePage = ({ targets, show }: EditRouteContext) =>
  pageRoute(
    '/{owner}/{repo}/_new/{rest*}',
    access,
    async (route) => {
      const target = await targets.open(route.resource, route.actor, route.params.rest ?? '');
      const path = [target.path, route.query.name ?? ''].filter(Boolean).join('/');
      const slash = target.path && !route.query.name ? '/' : '';
      return show(route, target, { path: path + slash, content: '', sha: '' }, freshDraft(target));
    },
    { query: Joi.object<{ readonly name?: string }>({ name: Joi.string().allow('').max(255) }) },
  );

const createFile = ({ submit }: EditRouteContext) =>
  defineRoute({
    method: 'POST',
    path: '/{owner}/{repo}/_new/{rest*}',
    access,
    payload,
    request: { payload: Joi.object<TextFields>(textFields).label('NewFileForm') },
    handler: (route) => submit(route, true),
  });

const editFilePage = ({ targets, show }: EditRouteContext) =>
  pageRoute('/{owner}/{repo}/_edit/{rest*}', access, async (route) => {
    const target = await targets.open(route.resource, route.actor, route.params.rest ?? '');
    const entry = await targets.file(target);
    const read = await readText(target.git, entry.oid);
    if (!read) throw Invalid(t.later('error.notEditable', { size: () => formatSize(maxTextBytes) }));
    return show(route, target, { path: target.path, content: read.text, sha: entry.oid }, freshDraft(target));
  });

const saveFile = ({ submit }: EditRouteContext) =>
  defineRoute({
    method: 'POST',
    path: '/{owner}/{repo}/_edit/{rest*}',
    access,
    payload,
    request: {
      payload: Joi.object<TextFields>({ ...textFields, sha: Joi.string().hex().max(64).required() }).label('EditForm'),
    },
    handler: (route) => submit(route, false),
  });

const patchPage = ({ targets, showPatch }: EditRouteContext) =>
  pageRoute('/{owner}/{repo}/_patch/{rest*}', access, async (route) => {
    const target = await targets.open(route.resource, route.actor, route.params.rest ?? '');
    return showPatch(route, target, '', freshDraft(target));
  });

const applyPatch = ({ targets, changes, done, showPatch }: EditRouteContext) =>
  defineRoute({
    method: 'POST',
    path: '/{owner}/{repo}/_patch/{rest*}',
    access,
    payload,
    request: {
      payload: Joi.object<PatchFields>({ ...commitFields, patch: Joi.string().allow('').required() }).label(
        'PatchForm',
      ),
    },
    async handler(route) {
      const { actor, resource, params, payload: sent } = route;
      const target = await targets.open(resource, actor, params.rest ?? '');
      const commit = draftOf(sent);
      try {
        const patch = sent.patch.replace(/\r\n/g, '\n');
        if (!patch.trim()) throw Invalid(t.later('error.noPatch'));
        const request = { operations: [], patch, ...commitOf(target, commit, defaultMessages.patch) };
        const result = await changes.apply(resource.repository, actor, request);
        return done(target, result.branch, '');
      } catch (error) {
        const { text, status } = refusalOf(error);
        return showPatch(route, target, sent.patch, commit, { error: text, status });
      }
    },
  });

/** Texts: new files, changed files, patches. */
export function editRoutes(deps: EditServices): Route[] {
  const context = editContext(deps);
  return [
    newFilePage(context),
    createFile(context),
    editFilePage(context),
    saveFile(context),
    patchPage(context),
    applyPatch(context),
  ];
}
