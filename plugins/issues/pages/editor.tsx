import type { VNode } from 'preact';
import { formatSize, IslandTexts } from '@mortise/plugin-sdk';
import type { TextEditorProps } from '../contract/pages.js';
import { t } from '../texts/index.js';

/**
 * A text area for Markdown. With a script it has a preview, and takes files that are dropped or pasted; one that a script
 * adds gets them by the event `mortise:added`. The page names `conversationIslands`.
 */
export const TextEditor = (props: TextEditorProps): VNode => (
  <div class="issue-editor" data-issue-editor={props.repository}>
    <label class={props.hidden === false ? 'd-block text-bold mb-1' : 'sr-only'} for={props.id}>
      {props.label}
    </label>
    <textarea
      class="form-control width-full"
      id={props.id}
      name={props.name}
      rows={props.lines ?? 6}
      required={props.required}
      maxLength={1_000_000}
      aria-describedby={`${props.id}-note`}
    >
      {`\n${props.value ?? ''}`}
    </textarea>
    <p class="note mt-1 mb-2" id={`${props.id}-note`}>
      {t('editor.note')}
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

/** Once on a page with editors or conversations. */
export const EditorTexts = (): VNode => (
  <IslandTexts
    name="issues"
    texts={{
      write: t('editor.write'),
      preview: t('editor.preview'),
      nothing: t('editor.nothing'),
      failed: t('editor.failed'),
      chooseAll: t('bulk.chooseAll'),
      taskFailed: t('task.failed'),
      taskChanged: t('task.changed'),
      newsOne: t('news.one'),
      newsOther: t('news.other', { count: '{count}' }),
      suggestions: t('editor.suggestions'),
      suggestionsFound: t('editor.suggestionsFound', { count: '{count}' }),
    }}
  />
);
