/**
 * The contract of `markup`: texts become safe HTML, code becomes highlighted lines. All of it is done by threads of its
 * own, within limits of time, memory and size; what goes past them is shown as plain text.
 */
export {
  type Viewer,
  type MarkupContext,
  type Markup,
  markup,
  type RenderTools,
  fileRenderers,
  type ReferenceContext,
  type ReferenceLink,
  type MarkupReference,
  markupReferences,
} from './contract/markup.js';
export { headingAnchor } from './contract/anchor.js';
export { MarkupBody, markupIslands } from './contract/body.js';
export { editorIslands, EditorTexts, MarkdownEditor, type MarkdownEditorProps } from './contract/editor.js';
export { escapeHtml, unescapeHtml } from './contract/escape.js';
export { headingsOf } from './contract/outline.js';
export type { SafeHtml } from './contract/html.js';
