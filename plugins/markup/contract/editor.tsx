import { h, type ComponentChildren, type VNode } from 'preact';
import { FieldError, formatSize, icon, IslandTexts } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';

/** What pages with a {@link MarkdownEditor} name in `islands`, beside {@link markupIslands}. */
export const editorIslands = ['markdown-editor', 'markdown-editor-style'] as const;

export interface MarkdownEditorProps {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly value?: string;
  readonly lines?: number;
  readonly required?: boolean;
  readonly placeholder?: string;
  /** Characters; default a million. */
  readonly maxLength?: number;
  /** What refusals call it (`Problem.inputs`); absent: they stand elsewhere. */
  readonly input?: string;
  /** `owner/name`: references in the preview are those of the repository. */
  readonly repository: string;
  /** Path of this site that completes what is being written: people after `@`, issues after `#`, emoji after `:`. */
  readonly suggestions?: `/${string}`;
  /** The page renders its previews itself; default false. */
  readonly withoutPreview?: boolean;
  /** Files can be added; bytes, undefined: no limit. */
  readonly files?: { readonly maxBytes: number | undefined };
  /** The label is for screen readers alone; default true. */
  readonly hidden?: boolean;
  /** In place of the sentence that Markdown is supported. */
  readonly note?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/**
 * A text area for Markdown. With a script it has a toolbar, a preview and drafts, and takes files that are dropped or
 * pasted; one that a script adds gets them by the event `mortise:added`. The page names {@link editorIslands} and has
 * {@link EditorTexts} once.
 */
export const MarkdownEditor = (props: MarkdownEditorProps): VNode => {
  // asked for at once: the text area says that it was refused
  const error = props.input ? FieldError({ of: props }) : null;
  return (
    <div
      class="markdown-editor"
      data-markdown-editor={props.repository}
      data-suggestions={props.suggestions}
      data-without-preview={props.withoutPreview ? '' : undefined}
    >
      <label class={props.hidden === false ? 'd-block text-bold mb-1' : 'sr-only'} for={props.id}>
        {props.label}
      </label>
      <textarea
        class="form-control width-full"
        id={props.id}
        name={props.name}
        rows={props.lines ?? 6}
        required={props.required}
        maxLength={props.maxLength ?? 1_000_000}
        placeholder={props.placeholder}
        aria-describedby={`${error ? `${props.id}-error ` : ''}${props.id}-note`}
        aria-invalid={error ? 'true' : undefined}
      >
        {/* browsers drop the first line feed of a text area */}
        {`\n${props.value ?? ''}`}
      </textarea>
      {error}
      <p class="note mt-1 mb-2" id={`${props.id}-note`}>
        {props.note ?? t('editor.note')}
      </p>
      {props.files ? (
        <label class="d-block mb-2 f6">
          <span class="d-block">
            {props.files.maxBytes === undefined
              ? t('editor.files')
              : t('editor.filesUpTo', { size: formatSize(props.files.maxBytes) })}
          </span>
          <input type="file" name="files" multiple />
        </label>
      ) : null}
      {props.children}
    </div>
  );
};

const buttons = [
  ['md-header', 'heading', 'heading'],
  ['md-bold', 'bold', 'bold'],
  ['md-italic', 'italic', 'italic'],
  ['md-quote', 'quote', 'quote'],
  ['md-code', 'code', 'code'],
  ['md-link', 'link', 'link'],
  ['md-unordered-list', 'list', 'list-unordered'],
  ['md-ordered-list', 'numberedList', 'list-ordered'],
  ['md-task-list', 'taskList', 'tasklist'],
  ['md-table', 'table', 'table'],
  ['md-mention', 'mention', 'mention'],
  ['md-ref', 'reference', 'cross-reference'],
] as const;

/** Once on a page with editors: what their script says, and the toolbar that it puts above each. */
export const EditorTexts = (): VNode => (
  <>
    <IslandTexts
      name="markdown-editor"
      texts={{
        write: t('editor.write'),
        preview: t('editor.preview'),
        nothing: t('editor.nothing'),
        failed: t('editor.failed'),
        suggestions: t('editor.suggestions'),
        suggestionsFound: t('editor.suggestionsFound', { count: '{count}' }),
        draft: t('editor.draft'),
        discard: t('editor.discard'),
      }}
    />
    <template data-editor-toolbar="">
      {h(
        'markdown-toolbar',
        { role: 'toolbar', 'aria-label': t('editor.toolbar'), class: 'markdown-editor-toolbar' },
        ...buttons.map(([tag, name, picture]) =>
          h(
            tag,
            { role: 'button', tabindex: '-1', title: t(`editor.${name}`), 'aria-label': t(`editor.${name}`) },
            icon(picture),
          ),
        ),
      )}
    </template>
  </>
);
