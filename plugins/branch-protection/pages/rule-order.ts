/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** Client: rules are dragged to their places, with a mouse, a pen or a finger. Without scripts the buttons do it. */
import { islandTexts } from '@mortise/plugin-sdk/client';

const text = islandTexts<'saved' | 'notSaved'>('rule-order');
const list = document.querySelector<HTMLElement>('[data-rule-order]');
const form = document.querySelector<HTMLFormElement>('#rule-order');
const status = document.querySelector<HTMLElement>('[data-rule-status]');
/** So near to the edge of the window the page moves along. */
const edge = 48;

function start(rules: HTMLElement, order: HTMLFormElement): void {
  const rows = () => [...rules.querySelectorAll<HTMLElement>('[data-rule]')];
  const announce = (words: string) => {
    if (status) status.textContent = words;
  };
  let saved = rows();
  let saving = Promise.resolve();
  let dragged: { row: HTMLElement; before: HTMLElement[] } | undefined;

  /** Numbers, and the buttons at both ends, follow the order. */
  const refresh = () => {
    const all = rows();
    all.forEach((row, index) => {
      const place = row.querySelector<HTMLInputElement>('[data-rule-place]');
      if (place) place.value = String(index + 1);
      row.querySelector('button[value=up]')?.toggleAttribute('disabled', index === 0);
      row.querySelector('button[value=down]')?.toggleAttribute('disabled', index === all.length - 1);
    });
  };
  const restore = (before: readonly HTMLElement[]) => {
    rules.append(...before);
    refresh();
  };

  const save = async (row: HTMLElement) => {
    const now = rows();
    const body = new URLSearchParams({ _csrf: String(new FormData(order).get('_csrf')) });
    body.set('ids', now.map((one) => one.dataset.rule).join(','));
    const answer = await fetch(order.action, { method: 'POST', body, headers: { accept: 'application/json' } }).catch(
      () => undefined,
    );
    if (answer?.status === 204) {
      saved = now;
      announce(text('saved', { name: row.dataset.ruleName ?? '', place: now.indexOf(row) + 1, count: now.length }));
    } else {
      restore(saved);
      announce(text('notSaved'));
    }
  };

  const end = (isKept: boolean) => {
    if (!dragged) return;
    const { row, before } = dragged;
    dragged = undefined;
    row.classList.remove('color-bg-accent', 'color-shadow-medium');
    if (!isKept) return restore(before);
    refresh();
    // one after the other: the newest order is stored last
    if (rows().some((one, index) => one !== before[index])) saving = saving.then(() => save(row));
  };

  /** The neighbours go around the dragged row; it stays in the document, so that it keeps the pointer. */
  const follow = (y: number) => {
    if (!dragged) return;
    const { row } = dragged;
    const middle = (one: Element) => one.getBoundingClientRect().top + one.getBoundingClientRect().height / 2;
    for (let one = row.previousElementSibling; one && y < middle(one); one = row.previousElementSibling) row.after(one);
    for (let one = row.nextElementSibling; one && y > middle(one); one = row.nextElementSibling) row.before(one);
    if (y < edge) scrollBy(0, -12);
    else if (y > innerHeight - edge) scrollBy(0, 12);
  };

  for (const handle of rules.querySelectorAll<HTMLElement>('[data-rule-handle]')) {
    const row = handle.closest<HTMLElement>('[data-rule]');
    if (!row) continue;
    handle.hidden = false;
    handle.addEventListener('pointerdown', (event) => {
      if (event.button !== 0 || dragged) return;
      event.preventDefault();
      handle.setPointerCapture(event.pointerId);
      dragged = { row, before: rows() };
      row.classList.add('color-bg-accent', 'color-shadow-medium');
    });
    handle.addEventListener('pointermove', (event) => follow(event.clientY));
    handle.addEventListener('pointerup', () => end(true));
    handle.addEventListener('pointercancel', () => end(false));
  }
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape') end(false);
  });
}
if (list && form && list.children.length > 1) start(list, form);
