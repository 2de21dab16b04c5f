import type { VNode } from 'preact';
import { IslandTexts } from '@mortise/plugin-sdk';
import { EditorTexts as MarkdownEditorTexts, MarkdownEditor } from '@mortise/markup/api';
import type { TextEditorProps } from '../contract/pages.js';
import { t } from '../texts/index.js';

/** An editor that completes the people and issues of its repository. The page names `conversationIslands`. */
export const TextEditor = (props: TextEditorProps): VNode => (
  <MarkdownEditor {...props} suggestions={`/${props.repository}/suggestions`} />
);

/** Once on a page with editors or conversations. */
export const EditorTexts = (): VNode => (
  <>
    <MarkdownEditorTexts />
    <IslandTexts
      name="issues"
      texts={{
        taskFailed: t('task.failed'),
        taskChanged: t('task.changed'),
        newsOne: t('news.one', { count: '{count}' }),
        newsOther: t('news.other', { count: '{count}' }),
      }}
    />
  </>
);
