/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/** Client, on every page: Ctrl+K, Cmd+K and the button of the bar fetch the palette, and the search field its suggestions. */
import { siteUrl } from '@mortise/plugin-sdk/client';

type Palette = typeof import('./palette.js');
const address: string = siteUrl('/assets/islands/palette');
const palette = (): Promise<Palette> => import(address) as Promise<Palette>;
const open = () => void palette().then(({ openPalette }) => openPalette());

addEventListener('keydown', (event) => {
  const { altKey, ctrlKey, defaultPrevented, key, metaKey, shiftKey } = event;
  if (defaultPrevented || altKey || shiftKey || ctrlKey === metaKey || key.toLowerCase() !== 'k') return;
  event.preventDefault();
  open();
});
addEventListener('click', (event) => {
  if (event.ctrlKey || event.metaKey || !(event.target as Element).closest('[data-palette]')) return;
  event.preventDefault();
  open();
});
addEventListener('focusin', ({ target }) => {
  const field = (target as Element).closest<HTMLInputElement>('.site-search input');
  if (field && !field.role) void palette().then(({ suggest }) => suggest(field));
});
