/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** Client, fetched when it is asked for: the command palette, and suggestions below the search field. */
import { adoptIcons, siteUrl } from '@mortise/plugin-sdk/client';
import { Combobox } from './combobox.js';
import { pageActions } from './page-actions.js';

/** The style sheet is there before anything of the palette is shown. */
const styled = new Promise<void>((resolve) => {
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = siteUrl('/assets/islands/palette-style');
  for (const end of ['load', 'error']) link.addEventListener(end, () => resolve());
  document.head.append(link);
});

/** What the page offers, as a group before those of the server. */
function groupOf(label: string, text: string): readonly HTMLElement[] {
  const actions = pageActions(text);
  if (actions.length === 0) return [];
  const heading = document.createElement('div');
  heading.className = 'palette-heading';
  heading.id = 'palette-here';
  heading.role = 'presentation';
  heading.textContent = label;
  const group = document.createElement('div');
  group.role = 'group';
  group.setAttribute('aria-labelledby', heading.id);
  group.append(heading, ...actions);
  return [group];
}

async function fetchDialog(): Promise<() => void> {
  const answer = await fetch(siteUrl('/-/palette'), { headers: { accept: 'text/html' } });
  if (!answer.ok) throw new Error(`the palette answered ${answer.status}`);
  const template = document.createElement('template');
  template.innerHTML = await answer.text();
  adoptIcons(template.content);
  const dialog = template.content.querySelector('dialog')!;
  const field = dialog.querySelector('input')!;
  const place = dialog.querySelector<HTMLElement>('.palette-items')!;
  const combobox = new Combobox(field, {
    place,
    isFirstChosen: true,
    before: (text) => groupOf(dialog.dataset.here ?? '', text),
  });
  dialog.querySelector('[data-close]')!.addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close();
  });
  dialog.addEventListener('close', () => combobox.close());
  await styled;
  document.body.append(dialog);
  return () => {
    if (dialog.open) return dialog.close();
    dialog.showModal();
    field.select();
    combobox.look();
  };
}

let toggle: Promise<() => void> | undefined;

/** Opens the palette, or closes it where it is open. */
export async function openPalette(): Promise<void> {
  try {
    (await (toggle ??= fetchDialog()))();
  } catch {
    toggle = undefined;
  }
}

/** Gives a search field a list of where to go; Enter alone searches as before. */
export function suggest(field: HTMLInputElement): void {
  if (field.role) return;
  const place = document.createElement('div');
  place.className = 'palette-items';
  place.hidden = true;
  field.after(place);
  const combobox = new Combobox(field, { place, isFirstChosen: false });
  field.addEventListener('blur', () => combobox.close());
  void styled.then(() => {
    if (field.value) combobox.look();
  });
}
