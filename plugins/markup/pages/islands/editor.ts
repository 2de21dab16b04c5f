/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import '@github/markdown-toolbar-element';
import { subscribe } from '@github/paste-markdown';
import { islandTexts, siteUrl } from '@mortise/plugin-sdk/client';
import { complete } from './editor/completion.js';
import { keepDraft } from './editor/drafts.js';
import { insert, takeFiles } from './editor/files.js';
import { continueLists } from './editor/lists.js';

/** Client: toolbar, preview, completion, drafts and files of editors for Markdown. */
type Key = 'write' | 'preview' | 'nothing' | 'failed' | 'suggestions' | 'suggestionsFound' | 'draft' | 'discard';
const t = islandTexts<Key>('markdown-editor');
const emptyTable = '\n|   |   |\n| - | - |\n|   |   |\n';

function tab(text: string, click: () => void): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'btn btn-sm';
  button.textContent = text;
  button.addEventListener('click', click);
  return button;
}

/** With Ctrl, or Cmd on a Mac; `>` is Shift and the full stop. */
const shortcuts: Readonly<Record<string, string>> = {
  b: 'md-bold',
  i: 'md-italic',
  e: 'md-code',
  k: 'md-link',
  '>': 'md-quote',
};

function pressShortcut(event: KeyboardEvent, toolbar: HTMLElement): void {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.isComposing) return;
  const button = toolbar.querySelector<HTMLElement>(shortcuts[event.key.toLowerCase()] ?? 'none');
  if (!button || event.shiftKey !== (event.key === '>')) return;
  event.preventDefault();
  event.stopPropagation();
  button.click();
}

/** The toolbar of the page's template, for this text area. */
function toolbarFor(area: HTMLTextAreaElement): HTMLElement | undefined {
  const template = document.querySelector<HTMLTemplateElement>('template[data-editor-toolbar]');
  const toolbar = template?.content.firstElementChild?.cloneNode(true) as HTMLElement | undefined;
  toolbar?.setAttribute('for', area.id);
  toolbar?.querySelector('md-table')?.addEventListener('click', () => {
    insert(area, emptyTable);
    area.focus();
  });
  if (toolbar) area.addEventListener('keydown', (event) => pressShortcut(event, toolbar));
  return toolbar;
}

function render(editor: HTMLElement, area: HTMLTextAreaElement, preview: HTMLElement): void {
  if (!area.value.trim()) {
    preview.textContent = t('nothing');
    return;
  }
  const body = new URLSearchParams({
    text: area.value,
    mode: 'comment',
    context: editor.dataset.markdownEditor ?? '',
    _csrf: area.form?.querySelector<HTMLInputElement>('input[name=_csrf]')?.value ?? '',
  });
  void fetch(siteUrl('/-/markup'), { method: 'POST', body })
    .then(async (answer) => {
      if (!answer.ok) throw new Error(String(answer.status));
      preview.innerHTML = await answer.text();
    })
    .catch(() => (preview.textContent = t('failed')));
}

/** Write and Preview, with the toolbar beside them. */
function addBar(editor: HTMLElement, area: HTMLTextAreaElement): void {
  const preview = document.createElement('div');
  preview.className = 'markdown-editor-preview markup markdown-body';
  const toolbar = toolbarFor(area);
  const show = (isPreview: boolean) => {
    preview.hidden = !isPreview;
    area.hidden = isPreview;
    if (toolbar) toolbar.hidden = isPreview;
    write.setAttribute('aria-current', String(!isPreview));
    look.setAttribute('aria-current', String(isPreview));
  };
  const write = tab(t('write'), () => {
    show(false);
    area.focus();
  });
  const look = tab(t('preview'), () => {
    show(true);
    render(editor, area, preview);
  });
  const bar = document.createElement('div');
  bar.className = 'markdown-editor-bar';
  const hasPreview = editor.dataset.withoutPreview === undefined;
  bar.append(...(hasPreview ? [write, look] : []), ...(toolbar ? [toolbar] : []));
  area.before(bar);
  if (!hasPreview) return;
  area.after(preview);
  show(false);
  // what is missing can only be said where it is seen
  area.addEventListener('invalid', () => show(false));
}

function prepare(editor: HTMLElement): void {
  const area = editor.querySelector('textarea');
  if (!area || editor.dataset.ready) return;
  editor.dataset.ready = 'true';
  keepDraft(area, { draft: t('draft'), discard: t('discard') });
  const { suggestions } = editor.dataset;
  if (suggestions?.startsWith('/'))
    complete(siteUrl(suggestions as `/${string}`), area, { list: t('suggestions'), found: t('suggestionsFound') });
  addBar(editor, area);
  continueLists(area);
  const field = editor.querySelector<HTMLInputElement>('input[type=file][name=files]');
  if (field) takeFiles(area, field);
  // tables and links that are pasted become Markdown; Ctrl+Shift+V pastes them as text
  subscribe(area);
  area.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
    event.preventDefault();
    const main = area.form?.querySelector<HTMLButtonElement>('button.btn-primary[type=submit]');
    if (main) area.form?.requestSubmit(main);
  });
}

const prepareIn = (root: ParentNode) => {
  for (const editor of root.querySelectorAll<HTMLElement>('[data-markdown-editor]')) prepare(editor);
};
prepareIn(document);
document.addEventListener('mortise:added', ({ target }) => prepareIn(target as Element));
