import type { VNode } from 'preact';
import { Csrf, icon, type Text } from '@mortise/plugin-sdk';
import { MarkupBody, type SafeHtml } from '@mortise/markup/api';
import type { EditTarget } from '../services/target.js';
import { t } from '../texts/index.js';
import { CommitBox, defaultMessages, type CommitDraft } from './commit-box.js';
import { Crumbs, Refusal, type Frame } from './frame.js';

export interface FileDraft {
  readonly path: string;
  readonly content: string;
  /** Id of the blob that the text was read from; empty: a new file. */
  readonly sha: string;
}

interface EditFormProps {
  readonly frame: Frame;
  readonly target: EditTarget;
  readonly file: FileDraft;
  readonly commit: CommitDraft;
  readonly error?: Text;
  /** Safe HTML of the rendered text. */
  readonly preview?: SafeHtml;
  /** Unified diff of what would change. */
  readonly diff?: string;
}

const examplePath = 'docs/name.md';

/** One text, new or changed. Preview and difference are made by the server, so the form needs no script. */
export function EditForm({ frame, target, file, commit, error, preview, diff }: EditFormProps): VNode {
  const isNew = file.sha === '';
  const verb = isNew ? 'Add' : 'Update';
  return (
    <form method="post" action={frame.action(target, isNew ? '_new' : '_edit')}>
      <Csrf />
      <input type="hidden" name="sha" value={file.sha} />
      <Refusal text={error} />
      <label class="d-block mb-2">
        <span class="text-bold d-block mb-1">{t('edit.path')}</span>
        <span class="d-flex flex-wrap flex-items-center gap-2">
          <input
            class="form-control input-monospace text-normal editor-path"
            name="path"
            required
            maxLength={1000}
            value={file.path}
            placeholder={examplePath}
            autofocus={isNew}
            spellcheck={false}
          />
          <span class="branch-name wb-break-all">
            {icon('git-branch')} {target.branch}
          </span>
        </span>
      </label>
      <label class="sr-only" for="content">
        {t('edit.text')}
      </label>
      <textarea
        id="content"
        class="form-control input-block input-monospace editor-text mb-2"
        name="content"
        rows={24}
        wrap="off"
        spellcheck={false}
        data-editor={file.path}
        data-editor-label={t('edit.text')}
      >
        {/* browsers drop the first line feed of a text area */}
        {`\n${file.content}`}
      </textarea>
      {preview === undefined ? null : (
        <section class="Box mb-3" aria-label={t('edit.preview')}>
          <h2 class="Box-header f5">{t('edit.preview')}</h2>
          <MarkupBody class="Box-body" html={preview} />
        </section>
      )}
      {diff === undefined ? null : <Difference diff={diff} />}
      <CommitBox target={target} draft={commit} placeholder={file.path ? `${verb} ${file.path}` : ''} />
      <div class="d-flex flex-wrap gap-2 mb-4">
        <button class="btn btn-primary" type="submit" name="do" value="save">
          {icon('git-commit')} {t('commit.submit')}
        </button>
        <button class="btn" type="submit" name="do" value="preview">
          {icon('eye')} {t('edit.preview')}
        </button>
        {isNew ? null : (
          <button class="btn" type="submit" name="do" value="diff">
            {icon('diff')} {t('edit.showChanges')}
          </button>
        )}
        <a class="btn" href={frame.source(target)}>
          {t('cancel')}
        </a>
      </div>
    </form>
  );
}

const lineClass = (line: string) =>
  line.startsWith('+')
    ? 'editor-added'
    : line.startsWith('-')
      ? 'editor-removed'
      : line.startsWith('@@')
        ? 'color-fg-muted'
        : '';

function Difference({ diff }: { diff: string }): VNode {
  const lines = diff.split('\n').slice(4);
  return (
    <section class="Box mb-3" aria-label={t('edit.changes')}>
      <h2 class="Box-header f5">{t('edit.changes')}</h2>
      {lines.length > 1 ? (
        <pre class="Box-body editor-diff mb-0" tabIndex={0}>
          {lines.map((line) => (
            <span class={lineClass(line)}>{`${line}\n`}</span>
          ))}
        </pre>
      ) : (
        <p class="Box-body mb-0">{t('edit.noChanges')}</p>
      )}
    </section>
  );
}

/** A patch as `git diff` writes it, for all files at once. */
export function PatchForm({
  frame,
  target,
  patch,
  commit,
  error,
}: Omit<EditFormProps, 'file'> & { readonly patch: string }): VNode {
  return (
    <form method="post" action={frame.action(target, '_patch', '')}>
      <Csrf />
      <Refusal text={error} />
      <Crumbs frame={frame} target={{ ...target, path: '' }} />
      <label class="d-block mb-2">
        <span class="text-bold d-block mb-1">{t('patch.label')}</span>
        <textarea
          class="form-control input-block input-monospace text-normal editor-text"
          name="patch"
          rows={20}
          required
          wrap="off"
          spellcheck={false}
          placeholder={t('patch.placeholder')}
        >
          {`\n${patch}`}
        </textarea>
      </label>
      <CommitBox target={target} draft={commit} placeholder={defaultMessages.patch} />
      <div class="d-flex flex-wrap gap-2 mb-4">
        <button class="btn btn-primary" type="submit">
          {icon('git-commit')} {t('commit.submit')}
        </button>
        <a class="btn" href={frame.source({ ...target, path: '' })}>
          {t('cancel')}
        </a>
      </div>
    </form>
  );
}
