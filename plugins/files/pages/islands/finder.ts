/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
import { islandTexts } from '@mortise/plugin-sdk/client';
import { matches } from '../../services/file-search.js';

/** Client: finds files while one types; the list of paths is fetched once. Arrows choose, Enter opens. */
const maxResults = 200;
const text = islandTexts<'none'>('finder');
const input = document.querySelector<HTMLInputElement>('input[data-finder]');
const list = document.querySelector<HTMLElement>('[data-finder-list]');

async function start(field: HTMLInputElement, shown: HTMLElement): Promise<void> {
  const answer = await fetch(field.dataset.finder!, { headers: { accept: 'application/json' } });
  if (!answer.ok) return;
  const paths = (await answer.json()) as string[];
  const base = field.dataset.finderBase!;
  let chosen = 0;
  const links = () => [...shown.querySelectorAll('a')];
  const choose = (index: number) => {
    const all = links();
    chosen = Math.max(0, Math.min(index, all.length - 1));
    all.forEach((link, place) => link.parentElement!.classList.toggle('code-chosen', place === chosen));
    all[chosen]?.scrollIntoView({ block: 'nearest' });
  };
  const show = () => {
    const matching = matches(paths, field.value, maxResults);
    shown.replaceChildren(
      ...matching.map((path) => {
        const row = document.createElement('li');
        row.className = 'Box-row Box-row--hover-gray py-2 wb-break-all';
        const link = document.createElement('a');
        link.href = `${base}/${path.split('/').map(encodeURIComponent).join('/')}`;
        link.textContent = path;
        row.append(link);
        return row;
      }),
    );
    if (matching.length === 0) shown.textContent = text('none');
    choose(0);
  };
  field.addEventListener('input', show);
  field.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') choose(chosen + 1);
    else if (event.key === 'ArrowUp') choose(chosen - 1);
    else if (event.key === 'Enter') links()[chosen]?.click();
    else return;
    event.preventDefault();
  });
  show();
}
if (input && list) {
  input.focus();
  void start(input, list);
}
export {};
