/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { islandTexts } from '@mortise/plugin-sdk/client';

/** Client: quotes, tasks that can be ticked, and choosing all of a list. */
type Key = 'chooseAll' | 'taskFailed' | 'taskChanged';
const t = islandTexts<Key>('issues');

/** The button that closes or opens says when it sends what is written as well. */
function nameClosing(area: HTMLTextAreaElement): void {
  const button = area.form?.querySelector<HTMLButtonElement>('button[data-with-comment]');
  if (!button) return;
  const alone = button.textContent;
  const name = () => (button.textContent = area.value.trim() ? (button.dataset.withComment ?? alone) : alone);
  area.addEventListener('input', name);
  name();
}

// What one answers to stands in the form; without a script the link loads the page with it.
const comment = document.querySelector<HTMLTextAreaElement>('#comment-body');
if (comment) {
  for (const link of document.querySelectorAll<HTMLElement>('[data-quote]'))
    link.addEventListener('click', (event) => {
      event.preventDefault();
      link.closest('details')?.removeAttribute('open');
      const quoted = (link.dataset.quote ?? '')
        .split('\n')
        .map((line) => `> ${line}`)
        .join('\n');
      comment.setRangeText(`${quoted}\n\n`, comment.value.length, comment.value.length, 'end');
      comment.dispatchEvent(new Event('input', { bubbles: true }));
      comment.scrollIntoView({ block: 'center' });
      comment.focus();
    });
  nameClosing(comment);
}

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
