/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/**
 * Client: lines that are indented below another fold into it, by a button beside its number, or with the arrow keys on the
 * number. What is chosen by an address or the outline unfolds. Without scripts all lines stand there.
 */
import { islandTexts } from '@mortise/plugin-sdk/client';

const table = document.querySelector<HTMLElement>('[data-code-lines]');
const text = islandTexts<'fold'>('folding');
const tabWidth = 4;

/** Columns before the first sign; undefined for a line that has none. */
function indentOf(line: string): number | undefined {
  let columns = 0;
  for (const sign of line) {
    if (sign === ' ') columns++;
    else if (sign === '\t') columns += tabWidth - (columns % tabWidth);
    else return sign === '\n' || sign === '\r' ? undefined : columns;
  }
  return undefined;
}

/** By the number of a line, from 1, the last line that folds into it. */
function regionsOf(lines: readonly string[]): Map<number, number> {
  const ends = new Map<number, number>();
  const open: { readonly line: number; readonly indent: number }[] = [];
  let last = 0;
  const close = (indent: number): void => {
    for (let top = open.at(-1); top && top.indent >= indent; top = open.at(-1)) {
      if (last > top.line) ends.set(top.line, last);
      open.pop();
    }
  };
  for (const [at, line] of lines.entries()) {
    const indent = indentOf(line);
    if (indent === undefined) continue;
    close(indent);
    open.push({ line: at + 1, indent });
    last = at + 1;
  }
  close(0);
  return ends;
}

function fold(table: HTMLElement): void {
  const rows = [...table.querySelectorAll<HTMLTableRowElement>('tr[id^=L]')];
  const ends = regionsOf(rows.map((row) => row.cells[1]?.textContent ?? ''));
  const folded = new Set<number>();
  const show = (): void => {
    let hiddenTo = 0;
    for (const [at, row] of rows.entries()) {
      const line = at + 1;
      row.hidden = line <= hiddenTo;
      const isFolded = folded.has(line);
      row.classList.toggle('code-folded', isFolded);
      row.querySelector('.fold-button')?.setAttribute('aria-expanded', String(!isFolded));
      if (!row.hidden && isFolded) hiddenTo = ends.get(line)!;
    }
  };
  const set = (line: number, isFolded: boolean): void => {
    if (!ends.has(line) || folded.has(line) === isFolded) return;
    if (isFolded) folded.add(line);
    else folded.delete(line);
    show();
  };
  for (const [line, end] of ends) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'fold-button';
    button.tabIndex = -1;
    button.setAttribute('aria-expanded', 'true');
    button.setAttribute('aria-label', text('fold', { from: line + 1, to: end }));
    button.addEventListener('click', () => set(line, !folded.has(line)));
    rows[line - 1]!.cells[0]!.append(button);
  }
  table.classList.toggle('code-foldable', ends.size > 0);
  table.addEventListener('keydown', (event) => {
    const link = (event.target as Element).closest<HTMLElement>('a[data-line]');
    const isPlain = !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (!link || !isPlain || (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight')) return;
    event.preventDefault();
    set(Number(link.dataset.line), event.key === 'ArrowLeft');
  });
  document.addEventListener('mortise:lines', () => {
    const chosen = [...table.querySelectorAll<HTMLElement>('tr.code-selected[hidden]')].map((row) =>
      Number(row.id.slice(1)),
    );
    const [first] = chosen;
    if (first === undefined) return;
    for (const line of folded) if (chosen.some((one) => line < one && one <= ends.get(line)!)) folded.delete(line);
    show();
    rows[first - 1]?.scrollIntoView({ block: 'center' });
  });
}

if (table) fold(table);
