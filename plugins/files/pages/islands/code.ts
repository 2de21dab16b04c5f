/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/**
 * Client: selection of lines. `#L3` and `#L3-L9` mark lines; a click on a number selects one, with shift a range.
 * Without scripts the links go to single lines all the same.
 */
const table = document.querySelector<HTMLElement>('[data-code-lines]');
let first: number | undefined;

const rangeOf = (hash: string): [number, number] | undefined => {
  const [, from, to] = /^#L(\d+)(?:-L?(\d+))?$/.exec(hash) ?? [];
  if (!from) return undefined;
  const ends = [Number(from), Number(to ?? from)];
  return [Math.min(...ends), Math.max(...ends)];
};

function highlightLines(scroll: boolean): void {
  table?.querySelectorAll('tr.code-selected').forEach((row) => row.classList.remove('code-selected'));
  const range = rangeOf(location.hash);
  if (!range) return;
  const last = Math.min(range[1], range[0] + 20_000);
  for (let line = range[0]; line <= last; line++) document.getElementById(`L${line}`)?.classList.add('code-selected');
  if (scroll) document.getElementById(`L${range[0]}`)?.scrollIntoView({ block: 'center' });
}

table?.addEventListener('click', (event) => {
  const link = (event.target as Element).closest<HTMLElement>('a[data-line]');
  if (!link || event.metaKey || event.ctrlKey) return;
  event.preventDefault();
  const line = Number(link.dataset.line);
  const range = event.shiftKey && first !== undefined ? [Math.min(first, line), Math.max(first, line)] : [line, line];
  if (!event.shiftKey) first = line;
  history.replaceState(null, '', range[0] === range[1] ? `#L${line}` : `#L${range[0]}-L${range[1]}`);
  highlightLines(false);
});
addEventListener('hashchange', () => highlightLines(true));
first = rangeOf(location.hash)?.[0];
highlightLines(true);

// Whether long lines are wrapped is remembered, where the browser remembers anything.
const wrap = document.querySelector<HTMLInputElement>('[data-wrap]');
const wrapKey = 'mortise.wrap';
try {
  if (wrap && localStorage.getItem(wrapKey)) wrap.checked = true;
  wrap?.addEventListener('change', () => {
    if (wrap.checked) localStorage.setItem(wrapKey, '1');
    else localStorage.removeItem(wrapKey);
  });
} catch {
  // storage is switched off
}
export {};
