/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** Client: `t` finds a file, `y` goes to the permanent address, `/` goes to the search, `?` shows this. */
import { islandTexts } from '@mortise/plugin-sdk/client';

const text = islandTexts<'title' | 'find' | 'permalink' | 'search' | 'help' | 'close'>('shortcuts');
const keys = [
  ['t', 'find'],
  ['y', 'permalink'],
  ['/', 'search'],
  ['?', 'help'],
] as const;

function help(): void {
  const there = document.querySelector<HTMLDialogElement>('dialog[data-keys]');
  if (there) return there.open ? there.close() : there.showModal();
  const dialog = document.createElement('dialog');
  dialog.dataset.keys = '';
  dialog.className = 'Box p-3 color-shadow-large';
  dialog.setAttribute('aria-label', text('title'));
  const title = document.createElement('h2');
  title.className = 'f4 mb-2';
  title.textContent = text('title');
  const list = document.createElement('dl');
  for (const [key, what] of keys) {
    const name = document.createElement('dt');
    const kbd = document.createElement('kbd');
    kbd.textContent = key;
    name.append(kbd);
    const words = document.createElement('dd');
    words.textContent = text(what);
    list.append(name, words);
  }
  const close = document.createElement('button');
  close.className = 'btn btn-sm mt-3';
  close.textContent = text('close');
  close.addEventListener('click', () => dialog.close());
  dialog.append(title, list, close);
  document.body.append(dialog);
  dialog.showModal();
}

const actions: Readonly<Record<string, () => boolean>> = {
  t() {
    const finder = document.querySelector<HTMLElement>('[data-find]')?.dataset.find;
    if (finder) location.assign(finder);
    return Boolean(finder);
  },
  y() {
    const link = document.querySelector<HTMLAnchorElement>('a[data-permalink]');
    if (link) history.replaceState(null, '', link.getAttribute('href')! + location.hash);
    return Boolean(link);
  },
  '/'() {
    const field =
      document.querySelector<HTMLInputElement>('input[data-focus]') ??
      document.querySelector<HTMLInputElement>('input[type=search]:not([hidden])');
    field?.focus();
    field?.select();
    return Boolean(field);
  },
  '?'() {
    help();
    return true;
  },
};

addEventListener('keydown', (event) => {
  const target = event.target as HTMLElement;
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
  if (Object.hasOwn(actions, event.key) && actions[event.key]!()) event.preventDefault();
});
export {};
