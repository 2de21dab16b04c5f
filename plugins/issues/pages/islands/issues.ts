/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { islandTexts, siteUrl } from '@mortise/plugin-sdk/client';
import { complete } from './complete.js';

/** Client: previews, files that are dropped or pasted, quotes, tasks that can be ticked, and choosing all of a list. */
type Key =
  | 'write'
  | 'preview'
  | 'nothing'
  | 'failed'
  | 'chooseAll'
  | 'taskFailed'
  | 'taskChanged'
  | 'suggestions'
  | 'suggestionsFound';
const t = islandTexts<Key>('issues');

function insert(area: HTMLTextAreaElement, text: string): void {
  area.setRangeText(text, area.selectionStart, area.selectionEnd, 'end');
  area.dispatchEvent(new Event('input', { bubbles: true }));
}

const isPicture = (file: File) => file.type.startsWith('image/');

/** Files go with the form; where they were dropped the text refers to them. */
function uploadFiles(area: HTMLTextAreaElement, field: HTMLInputElement, files: readonly File[]): void {
  const all = new DataTransfer();
  const names = new Set<string>();
  for (const file of field.files ?? []) {
    all.items.add(file);
    names.add(file.name);
  }
  const words: string[] = [];
  for (const file of files) {
    const at = file.name.lastIndexOf('.');
    const [stem, ending] = at > 0 ? [file.name.slice(0, at), file.name.slice(at)] : [file.name, ''];
    let name = file.name;
    for (let count = 2; names.has(name); count++) name = `${stem}-${count}${ending}`;
    names.add(name);
    all.items.add(name === file.name ? file : new File([file], name, { type: file.type }));
    const label = name.replace(/[[\]\\]/g, '\\$&');
    words.push(`${isPicture(file) ? '!' : ''}[${label}](attachment:${encodeURIComponent(name)})`);
  }
  field.files = all.files;
  insert(area, `${words.join('\n')}\n`);
}

function tab(text: string, click: () => void): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'btn btn-sm';
  button.textContent = text;
  button.addEventListener('click', click);
  return button;
}

function previewOf(editor: HTMLElement, area: HTMLTextAreaElement): void {
  const csrf = area.form?.querySelector<HTMLInputElement>('input[name=_csrf]')?.value ?? '';
  const preview = document.createElement('div');
  preview.className = 'issue-editor-preview markup markdown-body';
  preview.hidden = true;
  const show = (isPreview: boolean) => {
    preview.hidden = !isPreview;
    area.hidden = isPreview;
    write.setAttribute('aria-current', String(!isPreview));
    look.setAttribute('aria-current', String(isPreview));
  };
  const write = tab(t('write'), () => {
    show(false);
    area.focus();
  });
  const look = tab(t('preview'), () => {
    show(true);
    if (!area.value.trim()) {
      preview.textContent = t('nothing');
      return;
    }
    const body = new URLSearchParams({
      text: area.value,
      mode: 'comment',
      context: editor.dataset.issueEditor ?? '',
      _csrf: csrf,
    });
    void fetch(siteUrl('/-/markup'), { method: 'POST', body })
      .then(async (answer) => {
        if (!answer.ok) throw new Error(String(answer.status));
        preview.innerHTML = await answer.text();
      })
      .catch(() => (preview.textContent = t('failed')));
  });
  const tabs = document.createElement('div');
  tabs.className = 'issue-editor-tabs';
  tabs.append(write, look);
  area.before(tabs);
  area.after(preview);
  show(false);
}

function prepare(editor: HTMLElement): void {
  const area = editor.querySelector('textarea');
  if (!area) return;
  previewOf(editor, area);
  complete(editor, area, { list: t('suggestions'), found: t('suggestionsFound') });
  area.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
    event.preventDefault();
    const main = area.form?.querySelector<HTMLButtonElement>('button.btn-primary[type=submit]');
    if (main) area.form?.requestSubmit(main);
  });
  const field = editor.querySelector<HTMLInputElement>('input[type=file][name=files]');
  if (!field) return;
  const given = (event: Event, files: FileList | undefined) => {
    if (!files?.length) return;
    event.preventDefault();
    uploadFiles(area, field, [...files]);
  };
  area.addEventListener('paste', (event) => given(event, event.clipboardData?.files));
  area.addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  });
  area.addEventListener('drop', (event) => given(event, event.dataTransfer?.files));
}
const prepareIn = (root: ParentNode) => {
  for (const editor of root.querySelectorAll<HTMLElement>('[data-issue-editor]')) prepare(editor);
};
prepareIn(document);
document.addEventListener('mortise:added', ({ target }) => prepareIn(target as Element));

// What one answers to stands in the form; without a script the link loads the page with it.
const comment = document.querySelector<HTMLTextAreaElement>('#comment-body');
if (comment)
  for (const link of document.querySelectorAll<HTMLElement>('[data-quote]'))
    link.addEventListener('click', (event) => {
      event.preventDefault();
      link.closest('details')?.removeAttribute('open');
      const quoted = (link.dataset.quote ?? '')
        .split('\n')
        .map((line) => `> ${line}`)
        .join('\n');
      comment.setRangeText(`${quoted}\n\n`, comment.value.length, comment.value.length, 'end');
      comment.scrollIntoView({ block: 'center' });
      comment.focus();
    });

for (const text of document.querySelectorAll<HTMLElement>('[data-tasks]')) {
  const boxes = [...text.querySelectorAll<HTMLInputElement>('.task-list-item input[type=checkbox]')];
  for (const [at, box] of boxes.entries()) {
    box.disabled = false;
    box.addEventListener('change', () => {
      for (const one of boxes) one.disabled = true;
      const body = new URLSearchParams({
        _csrf: text.dataset.csrf ?? '',
        comment: text.dataset.comment ?? '0',
        at: String(at),
        done: String(box.checked),
        mark: text.dataset.mark ?? '',
        total: String(boxes.length),
      });
      void fetch(text.dataset.tasks ?? '', { method: 'POST', body })
        .then((answer) => {
          if (!answer.ok) throw new Error(String(answer.status));
        })
        .catch((error: unknown) => {
          box.checked = !box.checked;
          text.querySelector('.flash')?.remove();
          const note = document.createElement('p');
          note.className = 'flash flash-error mt-2';
          note.setAttribute('role', 'alert');
          note.textContent = t(String(error).endsWith('409') ? 'taskChanged' : 'taskFailed');
          text.append(note);
        })
        .finally(() => {
          for (const one of boxes) one.disabled = false;
        });
    });
  }
}

const bulk = document.querySelector<HTMLFormElement>('.issue-bulk');
if (bulk) {
  const boxes = () => document.querySelectorAll<HTMLInputElement>(`input[name=ids][form="${bulk.id}"]`);
  const all = document.createElement('input');
  all.type = 'checkbox';
  all.setAttribute('aria-label', t('chooseAll'));
  all.className = 'mr-2';
  document.querySelector('.issue-state')?.before(all);
  const update = () => {
    const chosen = [...boxes()].filter((box) => box.checked).length;
    bulk.hidden = chosen === 0;
    all.checked = chosen > 0 && chosen === boxes().length;
  };
  all.addEventListener('change', () => {
    for (const box of boxes()) box.checked = all.checked;
    update();
  });
  for (const box of boxes()) box.addEventListener('change', update);
  update();
}
