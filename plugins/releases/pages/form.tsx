import type { VNode } from 'preact';
import { CheckField, Csrf, formatSize, icon, TextField } from '@mortise/plugin-sdk';
import type { Attachment } from '@mortise/attachments/api';
import { EditorTexts, MarkdownEditor, MarkupBody, type SafeHtml } from '@mortise/markup/api';
import type { Release } from '../contract/releases.js';
import { encoded } from '../services/release-presenter.js';
import { t } from '../texts/index.js';

const tagExample = 'v1.0.0';

/** What the form holds; texts as the person wrote them. */
export interface FormValues {
  readonly tagName: string;
  readonly target: string;
  readonly tagMessage: string;
  readonly title: string;
  readonly note: string;
  readonly isPrerelease: boolean;
  /** Where generated notes begin; empty: the nearest tag. */
  readonly previousTag?: string;
}

interface FormProps {
  /** `owner/name` */
  readonly repository: string;
  /** Address of the repository's page. */
  readonly repositoryPath: string;
  readonly action: string;
  readonly values: FormValues;
  /** Undefined: a new one. */
  readonly release?: Release;
  readonly assets: readonly Attachment[];
  readonly branches: readonly string[];
  readonly tags: readonly string[];
  /** Safe HTML. */
  readonly preview?: SafeHtml;
  readonly maxFiles: number;
  /** Bytes; undefined: no limit. */
  readonly maxBytes: number | undefined;
}

/** New and edit: one form, three buttons, no script needed. */
export function ReleaseForm(props: FormProps): VNode {
  const { repositoryPath, action, values, release, preview } = props;
  const isOut = release !== undefined && !release.isDraft;
  return (
    <div>
      <EditorTexts />
      <form method="post" action={action} encType="multipart/form-data">
        <h2 class="f3 mb-3">{release ? t('form.edit', { title: release.title || release.tagName }) : t('form.new')}</h2>
        <Csrf />
        {preview === undefined ? null : (
          <section class="Box mb-3" aria-label={t('form.preview')}>
            <h3 class="Box-header Box-title f5">{t('form.preview')}</h3>
            <MarkupBody class="Box-body" html={preview} />
          </section>
        )}
        <TagFields {...props} />
        <TextField
          name="title"
          label={t('form.title')}
          maxLength={255}
          value={values.title}
          note={t('form.titleNote')}
        />
        <MarkdownEditor
          id="note"
          name="note"
          label={t('form.notes')}
          hidden={false}
          lines={12}
          value={values.note}
          repository={props.repository}
          note={t('form.notesNote')}
        />
        <noscript>
          <button class="btn btn-sm mb-2" type="submit" name="action" value="preview" formNoValidate>
            {icon('eye')} {t('form.preview')}
          </button>
        </noscript>
        {/* below it, for Enter in a field presses the first button */}
        <GenerateFields values={values} />
        <CheckField
          name="prerelease"
          value="on"
          label={t('form.prerelease')}
          checked={values.isPrerelease}
          note={t('form.prereleaseNote')}
        />
        <FileFields {...props} />
        <div class="d-flex flex-wrap mt-4 gap-2">
          <button class="btn btn-primary" type="submit" name="action" value="publish">
            {isOut ? t('form.save') : t('form.publish')}
          </button>
          <button class="btn" type="submit" name="action" value="draft">
            {isOut ? t('form.unpublish') : t('form.draft')}
          </button>
          <a class="btn" href={`${repositoryPath}/releases`}>
            {t('form.cancel')}
          </a>
        </div>
      </form>
      {release ? <DeleteForm repositoryPath={repositoryPath} release={release} /> : null}
    </div>
  );
}

function TagFields({ values, branches, tags, release }: FormProps): VNode {
  const isOut = release !== undefined && !release.isDraft;
  return (
    <fieldset class="Box p-3 mb-3 min-width-0">
      <legend class="f5 text-bold px-1">{t('form.tag')}</legend>
      <div class="d-flex flex-wrap gap-3">
        <TextField
          name="tag_name"
          label={t('form.tagName')}
          required
          maxLength={191}
          list="release-tags"
          placeholder={tagExample}
          value={values.tagName}
          short
        />
        <TextField
          name="target"
          label={t('form.target')}
          maxLength={255}
          list="release-branches"
          placeholder={branches[0] ?? t('form.targetPlaceholder')}
          value={values.target}
          short
        />
      </div>
      <p class="note">{t('form.tagNote')}</p>
      <datalist id="release-tags">
        {tags.map((name) => (
          <option value={name} />
        ))}
      </datalist>
      <datalist id="release-branches">
        {branches.map((name) => (
          <option value={name} />
        ))}
      </datalist>
      {isOut ? null : (
        <details class="mt-2" open={values.tagMessage !== ''}>
          <summary>{t('form.tagMessage')}</summary>
          <label>
            <span class="sr-only">{t('form.tagMessage')}</span>
            <textarea class="form-control input-block text-normal mt-1" name="tag_message" rows={3}>
              {`\n${values.tagMessage}`}
            </textarea>
          </label>
          <p class="note">{t('form.tagMessageNote')}</p>
        </details>
      )}
    </fieldset>
  );
}

/** Notes are added to those that are written already. */
const GenerateFields = ({ values }: Pick<FormProps, 'values'>): VNode => (
  <details class="mb-3" open={values.previousTag !== undefined}>
    <summary>{t('form.generate')}</summary>
    <TextField
      name="previous_tag"
      label={t('form.previousTag')}
      maxLength={191}
      list="release-tags"
      value={values.previousTag ?? ''}
      note={t('form.previousTagNote')}
      short
    />
    <button class="btn btn-sm" type="submit" name="action" value="generate">
      {icon('pencil')} {t('form.generateSubmit')}
    </button>
  </details>
);

function FileFields({ assets, maxFiles, maxBytes }: FormProps): VNode {
  return (
    <fieldset class="Box p-3 mt-3 min-width-0">
      <legend class="f5 text-bold px-1">{t('form.files')}</legend>
      {assets.map((asset) => (
        <div class="d-flex flex-wrap flex-items-center mb-2 gap-2">
          <input
            class="form-control flex-auto list-main"
            name={`name-${asset.id}`}
            maxLength={255}
            value={asset.name}
            aria-label={t('form.fileName', { name: asset.name })}
          />
          <span class="d-flex flex-items-center f6 gap-2">
            <span class="color-fg-muted no-wrap">
              {asset.externalUrl ? t('card.external') : formatSize(asset.size)}
            </span>
            <label class="no-wrap text-normal">
              <input type="checkbox" name={`remove-${asset.id}`} value="on" /> {t('form.remove')}
            </label>
          </span>
        </div>
      ))}
      <div>
        <label>
          <span class="d-block text-bold mb-1">{t('form.add')}</span>
          <input type="file" class="text-normal" name="files" multiple />
        </label>
        <p class="note">
          {maxBytes === undefined
            ? t('form.addNote', { count: maxFiles })
            : t('form.addNoteSize', { count: maxFiles, size: formatSize(maxBytes) })}
        </p>
        <details class="mt-2">
          <summary>{t('form.addExternal')}</summary>
          <div class="d-flex flex-wrap mt-1 gap-2">
            <input
              class="form-control"
              name="external_name"
              maxLength={255}
              placeholder={t('form.externalName')}
              aria-label={t('form.externalName')}
            />
            <input
              class="form-control flex-auto min-width-0"
              type="url"
              name="external_url"
              maxLength={2000}
              placeholder="https://…"
              aria-label={t('form.externalUrl')}
            />
          </div>
        </details>
      </div>
    </fieldset>
  );
}

function DeleteForm({ repositoryPath, release }: { repositoryPath: string; release: Release }): VNode {
  return (
    <details class="mt-4">
      <summary class="btn btn-danger">{t('form.delete')}</summary>
      <form
        method="post"
        action={`${repositoryPath}/releases/delete/${encoded(release.tagName)}`}
        class="Box color-border-danger p-3 mt-2"
      >
        <Csrf />
        <p>{t('form.deleteText')}</p>
        {release.isDraft ? null : (
          <CheckField name="delete_tag" value="on" label={t('form.deleteTag', { tag: release.tagName })} />
        )}
        <button class="btn btn-danger" type="submit">
          {t('form.deleteSubmit')}
        </button>
      </form>
    </details>
  );
}
