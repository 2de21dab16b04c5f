import type { VNode } from 'preact';
import { Csrf, TextField, formatSize, icon, type Text } from '@mortise/plugin-sdk';
import type { EditTarget } from '../services/target.js';
import { t } from '../texts/index.js';
import { CommitBox, defaultMessages, type CommitDraft } from './commit-box.js';
import { Crumbs, Refusal, type Frame } from './frame.js';

interface FormProps {
  readonly frame: Frame;
  readonly target: EditTarget;
  readonly commit: CommitDraft;
  readonly error?: Text;
}

/** Files of one's own machine, into one folder. */
export function UploadForm(
  props: FormProps & { readonly maxFilesAtOnce: number; readonly maxMegabytes: number },
): VNode {
  const { frame, target, commit, error, maxFilesAtOnce, maxMegabytes } = props;
  return (
    <form method="post" action={frame.action(target, '_upload')} enctype="multipart/form-data">
      <Csrf />
      <Refusal text={error} />
      <Crumbs frame={frame} target={target} />
      <TextField
        name="folder"
        label={t('upload.folder')}
        maxLength={1000}
        value={target.path}
        placeholder={t('upload.root')}
        spellcheck={false}
        mono
      />
      <div class="Box p-4 mb-3 text-center editor-drop">
        <label>
          <span class="text-bold d-block mb-2">
            {icon('upload')} {t('upload.files')}
          </span>
          <input type="file" name="file" multiple required />
        </label>
        <p class="note mt-2 mb-0">
          {t('upload.limits', { count: maxFilesAtOnce, size: formatSize(maxMegabytes * 2 ** 20) })}
        </p>
      </div>
      <CommitBox target={target} draft={commit} placeholder={defaultMessages.upload} />
      <div class="d-flex flex-wrap gap-2 mb-4">
        <button class="btn btn-primary" type="submit">
          {icon('git-commit')} {t('commit.submit')}
        </button>
        <a class="btn" href={frame.source(target)}>
          {t('cancel')}
        </a>
      </div>
    </form>
  );
}

/** Asks before a file or folder goes. */
export function DeleteForm(props: FormProps & { readonly paths: readonly string[]; readonly sha: string }): VNode {
  const { frame, target, commit, error, paths, sha } = props;
  const isFolder = sha === '';
  return (
    <form method="post" action={frame.action(target, '_delete')}>
      <Csrf />
      <input type="hidden" name="sha" value={sha} />
      <Refusal text={error} />
      <Crumbs frame={frame} target={target} />
      <h2 class="f3 mb-3 wb-break-word">{t('delete.question', { path: target.path })}</h2>
      {isFolder ? (
        <details class="Box mb-3">
          <summary class="Box-header f5">{t('delete.files', { count: paths.length })}</summary>
          <ul class="Box-body list-style-none text-mono f6 mb-0">
            {paths.map((path) => (
              <li key={path}>{path}</li>
            ))}
          </ul>
        </details>
      ) : null}
      <CommitBox target={target} draft={commit} placeholder={defaultMessages.delete(target.path)} />
      <div class="d-flex flex-wrap gap-2 mb-4">
        <button class="btn btn-danger" type="submit">
          {icon('trash')} {isFolder ? t('delete.folder') : t('delete.file')}
        </button>
        <a class="btn" href={frame.source(target)}>
          {t('cancel')}
        </a>
      </div>
    </form>
  );
}
