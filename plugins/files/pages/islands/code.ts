/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/**
 * Client: selection of lines. `#L3` and `#L3-L9` mark lines; a click on a number selects one, with shift a range, and so
 * does dragging over numbers. One number is in the order of the tab key; arrows go on from there, with shift for a range.
 * Without scripts the links go to single lines all the same.
 */
const table = document.querySelector<HTMLElement>('[data-code-lines]');
/** Where a range begins. */
let first: number | undefined;
const maxMarked = 20_000;

const rangeOf = (hash: string): [number, number] | undefined => {
  const [, from, to] = /^#L(\d+)(?:-L?(\d+))?$/.exec(hash) ?? [];
  if (!from) return undefined;
  const ends = [Number(from), Number(to ?? from)];
  return [Math.min(...ends), Math.max(...ends)];
};

function mark(range: readonly [number, number] | undefined): void {
  table?.querySelectorAll('tr.code-selected').forEach((row) => row.classList.remove('code-selected'));
  if (!range) return;
  const last = Math.min(range[1], range[0] + maxMarked);
  for (let line = range[0]; line <= last; line++) document.getElementById(`L${line}`)?.classList.add('code-selected');
}

function showHash(scroll: boolean): void {
  const range = rangeOf(location.hash);
  mark(range);
  if (range && scroll) document.getElementById(`L${range[0]}`)?.scrollIntoView({ block: 'center' });
  if (range) numberOf(range[0])?.setAttribute('tabindex', '0');
  document.dispatchEvent(new CustomEvent('mortise:lines'));
}

/** The lines from the first to this one. */
const rangeTo = (line: number): [number, number] => [Math.min(first ?? line, line), Math.max(first ?? line, line)];

function choose([from, to]: readonly [number, number]): void {
  history.replaceState(null, '', from === to ? `#L${from}` : `#L${from}-L${to}`);
  showHash(false);
}

const numberOf = (line: number) => table?.querySelector<HTMLElement>(`a[data-line="${line}"]`);
const lineAt = (target: EventTarget | null): number =>
  Number((target as Element | null)?.closest('tr[id^=L]')?.id.slice(1));

table?.addEventListener('click', (event) => {
  const link = (event.target as Element).closest<HTMLElement>('a[data-line]');
  if (!link || event.metaKey || event.ctrlKey) return;
  event.preventDefault();
  const line = Number(link.dataset.line);
  if (!event.shiftKey) first = line;
  choose(rangeTo(line));
});

// with the mouse alone: fingers scroll
let dragged: number | undefined;
table?.addEventListener('pointerdown', (event) => {
  const link = (event.target as Element).closest<HTMLElement>('a[data-line]');
  if (!link || event.pointerType !== 'mouse' || event.button !== 0 || event.shiftKey) return;
  first = dragged = Number(link.dataset.line);
});
table?.addEventListener('dragstart', (event) => {
  if (dragged !== undefined) event.preventDefault();
});
table?.addEventListener('pointerover', (event) => {
  const line = dragged === undefined ? 0 : lineAt(event.target);
  if (!line || line === dragged) return;
  dragged = line;
  mark(rangeTo(line));
  getSelection()?.removeAllRanges();
});
addEventListener('pointerup', () => {
  if (dragged !== undefined && dragged !== first) choose(rangeTo(dragged));
  dragged = undefined;
});

table?.addEventListener('keydown', (event) => {
  const link = (event.target as Element).closest<HTMLElement>('a[data-line]');
  if (!link || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
  const line = Number(link.dataset.line) + (event.key === 'ArrowDown' ? 1 : -1);
  const next = numberOf(line);
  event.preventDefault();
  if (!next) return;
  link.setAttribute('tabindex', '-1');
  next.setAttribute('tabindex', '0');
  next.focus();
  if (!event.shiftKey) return;
  first ??= Number(link.dataset.line);
  choose(rangeTo(line));
});
addEventListener('hashchange', () => {
  first = rangeOf(location.hash)?.[0];
  showHash(true);
});
first = rangeOf(location.hash)?.[0];
numberOf(1)?.setAttribute('tabindex', first === undefined ? '0' : '-1');
showHash(true);

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
